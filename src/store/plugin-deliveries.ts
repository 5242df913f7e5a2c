import type { mongo } from 'mongoose';
import type {
  DeliveryOwner,
  DeliveryQuery,
  RecoverRequest,
  RedeliverRequest,
} from '../domain/delivery-record.js';
import type { DeliveryId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import { ATTEMPTS, type AttemptDocument } from './outbox-attempts.js';
import { findDelivery, listDeliveries, ownedBy } from './outbox-deliveries.js';
import { OUTBOX, type OutboxDocument } from './outbox-document.js';
import {
  findRecovery,
  openRecovery,
  RECOVERIES,
  type RecoveryDocument,
} from './outbox-recoveries.js';
import { redeliver } from './outbox-redeliver.js';

/** What one plugin is told of its deliveries, and may try again. */
export const mongoPluginDeliveries = (database: mongo.Db, plugin: string) => {
  const rows = database.collection<OutboxDocument>(OUTBOX);
  const attempts = database.collection<AttemptDocument>(ATTEMPTS);
  const recoveries = database.collection<RecoveryDocument>(RECOVERIES);

  return {
    list: (query: DeliveryQuery) => reading(() => listDeliveries(rows, attempts, plugin, query)),
    find: (owner: DeliveryOwner, id: DeliveryId) =>
      reading(() => findDelivery({ rows, attempts, plugin }, owner, id)),
    redeliver: ({ id, to, ended = [], ...owner }: RedeliverRequest) =>
      reading(() => redeliver(rows, { ...ownedBy(plugin, owner), _id: id }, { to, ended })),
    recover: (request: RecoverRequest) => reading(() => openRecovery(recoveries, plugin, request)),
    findRecovery: ({ tenantId, keys }: DeliveryOwner, id: string) =>
      reading(() =>
        findRecovery(recoveries, { _id: id, tenant: tenantId, plugin, to: { $in: [...keys] } }),
      ),
  };
};
