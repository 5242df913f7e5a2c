import { checkCaFile, definePlugin } from '../../src/plugin/api.js';
import { COMMANDS } from './commands.js';
import { createQueues, pairsOf } from './queues.js';
import { NOTIFICATION_TARGET_NOT_FOUND, notificationRoutes, TAGS } from './routes.js';
import { createSendDigest, loadNodemailer } from './send-digest.js';
import { checkSlackUrls, NotificationSettings } from './settings.js';
import { createWatch } from './watch-tenants.js';

/** Sends operators what the home pages of tenants list (decision 0053). */
export const notifications = definePlugin<NotificationSettings>({
  apiVersion: 1,
  name: 'notifications',
  title: 'Notifications',
  description: 'Reports what operators should look at, by e-mail, webhook or to Slack.',
  settings: NotificationSettings,
  collections: ['queues', 'reported'],
  refusals: [NOTIFICATION_TARGET_NOT_FOUND],
  tags: TAGS,
  commands: COMMANDS,
  checkFiles: ({ ca, targets }, cwd) => [...checkCaFile(ca, cwd), ...checkSlackUrls(targets)],
  outbound: ({ allow, ca }) => ({ allow, ...(ca !== undefined && { ca }) }),
  start: async (host) => {
    const { settings } = host;
    const isMailing = Object.values(settings.targets).some(({ kind }) => kind === 'email');
    if (isMailing) await loadNodemailer();
    const queues = createQueues(host);
    const send = createSendDigest(host);
    const pairs = pairsOf(settings);
    return {
      routes: notificationRoutes({ host, queues, send }),
      // Without rules there is nothing to wake up for.
      timers:
        pairs.length === 0
          ? []
          : [{ name: 'watch', every: '5s', run: createWatch({ host, queues, send }) }],
      health: async () => {
        const states = await queues.read(pairs);
        const failing = pairs.flatMap(({ target }, index) => {
          const { error, failingSince } = states[index] ?? {};
          return failingSince ? [`${target}, since ${failingSince}: ${error ?? ''}`] : [];
        });
        return failing.length === 0
          ? { ok: true, message: `Rules: ${Object.keys(settings.rules).length}.` }
          : { ok: false, message: `Notifications cannot be sent. ${failing.join(' ')}` };
      },
    };
  },
});
