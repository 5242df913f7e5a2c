import { randomUUID } from 'node:crypto';
import { NEVER } from 'rxjs';
import { webhooks } from '../../../plugins/webhooks/index.js';
import { generateSecret } from '../../../plugins/webhooks/signing.js';
import type { Log } from '../../../src/ports/telemetry.js';
import type { RecordId } from '../../../src/domain/kernel/ids.js';
import { DEFAULT_SCIM_SETTINGS } from '../../../src/domain/tenant/scim-settings.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { createEventStream } from '../../../src/plugin/stream/event-stream.js';
import { createHttpSender } from '../../../src/plugin/outbound/https-sender.js';
import { startPlugins } from '../../../src/plugin/host/plugin-host.js';
import { createSecretBox } from '../../../src/plugin/host/secret-box.js';
import { SAMPLE_TENANT_ID, sampleEvent } from '../../../src/plugin/testing.js';
import { connect } from '../../../src/store/connect.js';
import { openStore } from '../../../src/store/open-store.js';
import { collectionsOf } from '../../../src/store/tables/collections.js';
import { toTenantFields } from '../../../src/store/tables/tenants.js';
import { toEventDocument } from '../../../src/store/tables/events.js';

const ignore = (): void => undefined;
const unused = (): never => {
  throw new Error('The benchmark only sends events.');
};
const silent: Log = {
  ...{ debug: ignore, info: ignore, warn: ignore, error: ignore },
  child: () => silent,
};

export interface BacklogOptions {
  /** Of the receiver. */
  readonly url: string;
  /** A PEM file. */
  readonly ca: string;
  readonly uri: string;
  readonly registrations: number;
  readonly deliveries: number;
  /** Attempts in flight to one registration. */
  readonly concurrency: number;
}

const TENANT: Tenant = {
  id: SAMPLE_TENANT_ID,
  slug: 'acme',
  name: 'Acme',
  seatCapacity: null,
  defaultRole: 'member',
  roomProvisioning: 'manual',
  defaultCountry: null,
  scim: DEFAULT_SCIM_SETTINGS,
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  version: 1,
  seatsProvisioned: 0,
  userCount: 0,
  roomCount: 0,
  groupCount: 0,
  roleMappingCount: 0,
  smsListCount: 0,
  pluginVersions: { webhooks: 1 },
  removals: {},
  customAttributes: [],
  captureUntil: null,
};

/** Events of one insert. */
const BATCH = 500;

/** Events in the log, and the event stream that will send them. */
export interface Backlog {
  readonly start: () => void;
  /** Resolves when no deliveries are pending. */
  readonly drained: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Writes the backlog as commits do, before the engine is started. */
export const openBacklog = async (options: BacklogOptions): Promise<Backlog> => {
  const { uri, url, ca, registrations, deliveries, concurrency } = options;
  const connection = await connect(uri);
  const collections = collectionsOf(connection);
  const [instanceId, secrets] = [randomUUID(), createSecretBox(new Uint8Array(32))];
  const store = await openStore(connection, {
    instanceId,
    secrets,
    keepEventsMs: 86_400_000,
    keepLogMs: 86_400_000,
    rateLimits: { perMinute: 600, operatorsPerMinute: 3_000 },
    log: silent,
  });
  await collections.pluginRecords.insertMany(
    Array.from({ length: registrations }, () => ({
      _id: randomUUID() as RecordId,
      tenant: TENANT.id,
      plugin: 'webhooks',
      v: 1,
      data: {
        url,
        events: ['*'],
        status: 'active',
        epoch: 1,
        description: null,
        secret: secrets.seal(generateSecret()),
      },
      createdAt: new Date(),
    })),
  );
  const settings = webhooks.settings?.parse({
    allow: ['127.0.0.0/8'],
    ca,
    concurrencyPerRegistration: concurrency,
  });
  const plugins = await startPlugins([{ name: 'webhooks', plugin: webhooks, settings }], {
    submit: unused,
    runnerParts: unused,
    recordsOf: store.recordsOf,
    notesOf: store.notesOf,
    deliveriesOf: () => ({
      list: unused,
      find: unused,
      redeliver: unused,
      recover: unused,
      findRecovery: unused,
    }),
    collectionOf: store.collectionOf,
    leases: store.leases,
    instanceId,
    events: store.events,
    actions: store.actions,
    secrets,
    metrics: { gauge: ignore, counter: () => ignore },
    senderFor: (policy) => createHttpSender({ ...policy, userAgent: 'bench' }),
    networkFor: () => ({
      connect: () => Promise.reject(new Error('The benchmark dials nothing.')),
    }),
    attention: async function* () {},
    publicUrl: () => '',
    now: () => new Date(),
    events$: NEVER,
    logOf: () => silent,
  });
  const engine = createEventStream({
    subscribers: plugins.subscribers,
    store: store.stream,
    owner: instanceId,
    gateways: store.instances,
    databaseTime: store.instances.databaseTime,
    log: silent,
  });
  await store.stream.adopt('webhooks');
  const seq = Math.ceil(deliveries / registrations);
  await collections.tenantState.insertOne({
    _id: TENANT.id,
    v: 1,
    at: new Date(),
    nextOrdinal: 0,
    ...toTenantFields(TENANT),
    seq,
  });
  const total = Math.ceil(deliveries / registrations);
  for (let from = 0; from < total; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, total - from) }, (_, at) =>
      sampleEvent('user.created', {
        seq: from + at + 1,
        resource: { kind: 'user', id: randomUUID() },
      }),
    );
    await collections.events.insertMany(events.map((event) => toEventDocument(event)));
  }

  return {
    start: engine.start,
    drained: async () => {
      const { cursors } = collections;
      while (!(await cursors.findOne({ tenant: TENANT.id, low: { $gte: seq } })))
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close: async () => {
      await engine.stop(10_000);
      await plugins.stop();
      await store.close();
    },
  };
};
