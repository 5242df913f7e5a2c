import { randomUUID } from 'node:crypto';
import { NEVER } from 'rxjs';
import { webhooks } from '../../../plugins/webhooks/index.js';
import { generateSecret } from '../../../plugins/webhooks/signing.js';
import type { Log } from '../../../src/ports/telemetry.js';
import type { DomainEvent } from '../../../src/domain/events.js';
import type { RecordId } from '../../../src/domain/kernel/ids.js';
import { runSync } from '../../../src/domain/kernel/chunked.js';
import {
  createDeliveryEngine,
  type DeliveryEngine,
} from '../../../src/plugin/delivery/delivery-engine.js';
import { createHttpSender } from '../../../src/plugin/outbound/https-sender.js';
import { startPlugins } from '../../../src/plugin/host/plugin-host.js';
import { createSecretBox } from '../../../src/plugin/host/secret-box.js';
import { sampleEvent } from '../../../src/plugin/testing.js';
import { sampleTenant } from '../../../src/plugin/testing/samples.js';
import { LOCAL_READ } from '../../../src/store/concerns.js';
import { connect } from '../../../src/store/connect.js';
import { openStore } from '../../../src/store/open-store.js';
import { collectionsOf } from '../../../src/store/tables/collections.js';
import { toEventDocument } from '../../../src/store/tables/events.js';
import { HINTS, toOutboxDocument } from '../../../src/store/tables/outbox.js';

const ignore = (): void => undefined;
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
  /** Events of one commit; more than 50 for a registration become a span. */
  readonly batch: number;
}

/** Pending deliveries in the database, and the engine that will send them. */
export interface Backlog {
  readonly engine: DeliveryEngine;
  /** Resolves when no deliveries are pending. */
  readonly drained: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Writes the backlog as commits do, before the engine is started. */
export const openBacklog = async (options: BacklogOptions): Promise<Backlog> => {
  const { uri, url, ca, registrations, deliveries, batch } = options;
  const connection = await connect(uri);
  const collections = collectionsOf(connection);
  const [instanceId, secrets] = [randomUUID(), createSecretBox(new Uint8Array(32))];
  const tenant = sampleTenant({ pluginVersions: { webhooks: 1 } });
  const store = await openStore(connection, {
    instanceId,
    secrets,
    plugins: ['webhooks'],
    keepEventsMs: 86_400_000,
    keepLogMs: 86_400_000,
    rateLimits: { perMinute: 600, operatorsPerMinute: 3_000 },
    log: silent,
  });
  await collections.pluginRecords.insertMany(
    Array.from({ length: registrations }, () => ({
      _id: randomUUID() as RecordId,
      tenant: tenant.id,
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
  const settings = webhooks.settings?.parse({ allow: ['127.0.0.0/8'], ca });
  const plugins = await startPlugins([{ name: 'webhooks', plugin: webhooks, settings }], {
    submit: () => Promise.reject(new Error('The benchmark submits no commands.')),
    preview: () => Promise.reject(new Error('The benchmark submits no commands.')),
    users: {
      ...store.userLookups,
      tenant: store.tenants.findBySlug,
    },
    connectors: { list: [] },
    recordsOf: store.recordsOf,
    notesOf: store.notesOf,
    deliveriesOf: store.deliveriesOf,
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
  const engine = createDeliveryEngine({
    subscribers: plugins.subscribers,
    store: store.outbox,
    owner: instanceId,
    otherInstancesAlive: () => false,
    log: silent,
  });
  await engine.prepare(tenant);

  const commit = async (events: readonly DomainEvent[]): Promise<void> => {
    const rows = runSync(engine.plan(tenant, events, new Date()));
    await collections.events.insertMany(events.map((event) => toEventDocument(event)));
    await collections.outbox.insertMany(rows.map(toOutboxDocument));
    engine.committed(rows, events);
  };
  const total = Math.ceil(deliveries / registrations);
  for (let from = 0; from < total; from += batch) {
    const events = Array.from({ length: Math.min(batch, total - from) }, (_, at) =>
      sampleEvent('user.created', {
        seq: from + at + 1,
        resource: { kind: 'user', id: randomUUID() },
      }),
    );
    await commit(events);
  }

  return {
    engine,
    drained: async () => {
      const { outbox } = collections;
      // Not a count, which would read the whole backlog each time.
      while (await outbox.findOne({ st: 'p' }, { ...LOCAL_READ, hint: HINTS.byDue }))
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close: async () => {
      await engine.stop(10_000);
      await plugins.stop();
      await store.close();
    },
  };
};
