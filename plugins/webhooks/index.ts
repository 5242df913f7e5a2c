import {
  checkCaFile,
  createAddressGuard,
  definePlugin,
  systemClock,
} from '../../src/plugin/api.js';
import { COMMANDS } from './commands.js';
import { showFailing, createWatch } from './failing.js';
import {
  DELIVERY_NOT_FOUND,
  POSTED_EVENTS,
  TAGS,
  WEBHOOK_DISABLED,
  WEBHOOK_NOT_FOUND,
  WEBHOOKS,
} from './declarations.js';
import { describeWebhook } from './bodies.js';
import { deliveryRoutes, listEvents } from './delivery-routes.js';
import { DOCTOR_CHECKS } from './doctor-checks.js';
import { createOutcomeNotes } from './outcome-notes.js';
import { readOverview, searchWebhooks } from './overview.js';
import { createPostDelivery } from './post-delivery.js';
import { createRegistrations } from './registration.js';
import { webhookRoutes } from './routes.js';
import { webhookRules } from './rules.js';
import { createKeyRing, createTextOpener } from './signing.js';
import { createQuerySealer } from './background-changes.js';
import { WebhookSettings } from './settings.js';
import { createSubscriber } from './subscriber.js';
import { testWebhook } from './test-route.js';

/** Outbound webhooks: registrations, signed deliveries, the event log for polling (decisions.md 7). */
export const webhooks = definePlugin<WebhookSettings>({
  apiVersion: 1,
  name: 'webhooks',
  title: 'Webhooks',
  description: 'Sends provisioning events to registered HTTPS endpoints, signed.',
  settings: WebhookSettings,
  scopes: [
    {
      scope: WEBHOOKS,
      allows: 'register, change, delete and test webhooks',
      presets: ['webhooks'],
      readsEvents: true,
    },
  ],
  changeScope: WEBHOOKS,
  refusals: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, WEBHOOK_DISABLED],
  tags: TAGS,
  posts: POSTED_EVENTS,
  doctor: DOCTOR_CHECKS,
  commands: COMMANDS,
  checkFiles: ({ ca }, cwd) => checkCaFile(ca, cwd),
  outbound: ({ allow, ca }) => ({ allow, ...(ca !== undefined && { ca }) }),
  start: (host) => {
    const { settings, records, notes, log, http, now } = host;
    const guard = createAddressGuard(settings.allow);
    const registrations = createRegistrations(records, systemClock, createQuerySealer(host));
    showFailing({ host, registrations });
    const watch = createWatch({ host, disableAfter: settings.disableAfter, now });
    const outcomes = createOutcomeNotes({ notes, log, now, watch });
    const post = createPostDelivery({
      http,
      keysOf: createKeyRing(host.secrets),
      open: createTextOpener(host.secrets),
      timeoutMs: settings.timeout,
      now,
    });
    return {
      rules: webhookRules,
      describe: describeWebhook,
      subscriber: createSubscriber({ settings, registrations, post, outcomes, now }),
      routes: [
        ...webhookRoutes({ host, guard, outcomes }),
        ...deliveryRoutes(host, outcomes),
        testWebhook({ host, post, outcomes, now }),
        listEvents(host),
      ],
      overview: {
        counts: {
          total: 'Registrations.',
          failing: 'Active registrations whose last delivery failed.',
        },
        read: (tenant) => readOverview(host, tenant),
      },
      search: (tenant, text) => searchWebhooks(host, tenant, text),
      stop: outcomes.flush,
    };
  },
});
