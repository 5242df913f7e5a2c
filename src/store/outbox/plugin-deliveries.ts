import type {
  DeliveryScope,
  DeliveryQuery,
  RecoverRequest,
  RedeliverRequest,
} from '../../outbox/delivery-record.js';
import type { DeliveryId } from '../../domain/kernel/ids.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { findDelivery, listDeliveries, ownedBy } from './list-deliveries.js';
import { findRecovery, openRecovery } from './recoveries.js';
import { redeliver } from './redeliver.js';

/** Deliveries of one plugin: lists, redelivery and recoveries. */
export const mongoPluginDeliveries = (
  {
    outbox: rows,
    outboxAttempts: attempts,
    outboxRecoveries: recoveries,
  }: Pick<Collections, 'outbox' | 'outboxAttempts' | 'outboxRecoveries'>,
  plugin: string,
) => ({
  list: (query: DeliveryQuery) => guardRead(() => listDeliveries(rows, attempts, plugin, query)),
  find: (owner: DeliveryScope, id: DeliveryId) =>
    guardRead(() => findDelivery({ rows, attempts, plugin }, owner, id)),
  redeliver: ({ id, to, ended = [], ...owner }: RedeliverRequest) =>
    guardRead(() => redeliver(rows, { ...ownedBy(plugin, owner), _id: id }, { to, ended })),
  recover: (request: RecoverRequest) => guardRead(() => openRecovery(recoveries, plugin, request)),
  findRecovery: ({ tenantId, keys }: DeliveryScope, id: string) =>
    guardRead(() =>
      findRecovery(recoveries, { _id: id, tenant: tenantId, plugin, to: { $in: [...keys] } }),
    ),
});
