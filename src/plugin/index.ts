/** Everything that a plugin may see of the house, beside the domain. */
export { idField, instantField, lineField, PAGE_FIELDS, pageOf, timeField } from '../api/fields.js';
export type { ReadingCaller, TenantCaller } from '../api/caller.js';
export {
  nativeRoute,
  readRoute,
  type Route,
  type RouteAnswer,
  type RouteRequest,
} from '../api/route.js';
export type {
  ChangeRequest,
  Delivery,
  DeliveryOutcome,
  DurableSubscriber,
  MarkedNote,
  Plugin,
  PluginActions,
  PluginDeliveries,
  PluginHealth,
  PluginHost,
  PluginLog,
  PluginMetrics,
  PluginNotes,
  PluginRecords,
  RunningPlugin,
  SecretBox,
  SettingFault,
} from './contract.js';
export { type Clock, systemClock } from './clock.js';
export { definePlugin } from './define-plugin.js';
export { durationField } from './duration-field.js';
export type { HttpSender, OutboundAnswer, OutboundPolicy, OutboundRequest } from './http-sender.js';
export { createLruMap, type LruMap } from '../domain/lru-map.js';
export {
  type AddressGuard,
  createAddressGuard,
  isAddressRange,
  type UrlVerdict,
} from './outbound/address-guard.js';
export { readAuthorities } from './outbound/trusted-authorities.js';
