/**
 * The contract of extensions: the only module of Rollgate that a plugin or a connector may import
 * (from outside: `rollgate/plugin`). docs/plugin-contract.md is generated from it: the comments
 * below are its headings, the first sentences of the docstrings its text. What a module exported
 * whole exports is public.
 */

// Define a plugin
// `definePlugin` takes what is known without starting the plugin. `start` receives the host and
// returns what the plugin provides.
export { definePlugin } from './contract/contract.js';
export { type Plugin, type PluginHealth, type RunningPlugin } from './contract/contract.js';
export { API_VERSION, type Manifest } from './contract/extension.js';
export type { PluginHost } from './contract/host.js';

// Define a connector
// `defineConnector` declares a source of users, such as an HR system. Its `read` yields records; the
// host does the rest.
export { defineConnector } from './contract/connector-contract.js';
export * from './contract/connector-contract.js';
export * from './contract/source-responses.js';
export * from './contract/access-tokens.js';
export * from './contract/memberships.js';
export * from './contract/byte-decoder.js';
export { parseExactJson } from './contract/exact-json.js';
export * from './contract/stream-json-array.js';
export * from './contract/value-size.js';
export { optionalLibrary } from './contract/connector-contract.js';
export * from './contract/fields-of-records.js';
export * from './contract/read-sample.js';

// Declare and check settings
// Settings are a Zod 4 schema, `z.strictObject({ … })`. They come from the plugin's section of the
// configuration file and from environment variables.
export { z } from 'zod';
export { secretField } from './contract/extension.js';
export { durationField } from './contract/extension.js';
export type { Secret } from '../../config/secret.js';
export type { SettingFault } from './contract/extension.js';
export { checkCaFile, readCaFile } from './outbound/trusted-certificates.js';
export { nearestName } from '../../config/did-you-mean.js';

// React to events
// A subscriber receives every event at least once, with retries, across crashes and instances. For
// views that may miss events, use `host.events$` or `host.events.live`.
export type {
  Delivery,
  DeliveryOutcome,
  DurableSubscriber,
  EventSubscriber,
  Subscription,
} from './contract/contract.js';
export { type DomainEvent, EVENT_NAMES, type EventName } from '../domain/events.js';
export { type EventEnvelope, envelopeOf, type Includable, INCLUDABLE } from '../domain/events.js';
export { EVENT_SHAPES } from '../routes/event-feed.js';
export type { PluginEvents } from './contract/host.js';

// Show deliveries and send them again
export type { PluginDeliveries } from './contract/host.js';
export {
  type AttemptRecord,
  DELIVERY_STATES,
  type DeliveryScope,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryRecord,
  type StoredAttempt,
  MAX_COUNTED,
  type RecoverRequest,
  type Recovery,
  RECOVERY_STATES,
  type RedeliverRequest,
} from '../ports/deliveries.js';

// Call other servers
export type {
  HttpSender,
  OutboundPolicy,
  OutboundRequest,
  OutboundResponse,
} from './contract/http-sender.js';
export { retryAfterMs } from './contract/http-sender.js';
export * from './contract/classify-response.js';
export { type SigningKeys, signatureHeaders, signingKeysOf } from './contract/signature-headers.js';
export {
  type AddressGuard,
  createAddressGuard,
  isAddressRange,
  type UrlCheckResult,
} from './outbound/address-guard.js';

// Run work in a process of its own
// For work that must not take the gateway's memory or time, such as an expression of an operator.
export * from './connector-runtime/isolated-process.js';

// Store state
// Records change in the tenant's lane, with version checks and an entry in the provisioning log.
// Notes are small and often written. Collections hold documents of any number.
export type {
  ChangeRequest,
  MarkedNote,
  PluginActions,
  PluginNotes,
  PluginRecords,
  SecretBox,
} from './contract/host.js';
export type { PluginRecord } from '../domain/plugin/plugin-record.js';
export type { DescribedRecord, PluginRule, PluginDecision } from '../domain/kernel/decider.js';
export type {
  DocumentOwner,
  ClearOptions,
  DocumentQuery,
  NewDocument,
  PluginCollection,
  PluginDocument,
  ReadOptions,
  WriteOptions,
} from '../ports/plugin-storage.js';
export { VersionConflict } from '../ports/plugin-storage.js';

// Work in the background
// Timers run at regular intervals, and leases around any other work; each on one instance at a time.
export type { Timer, TimerRun } from './contract/contract.js';
export type { PluginLeases } from './contract/host.js';
export type { Fence } from '../ports/plugin-storage.js';
export { LeaseLost } from '../ports/plugin-storage.js';

// Add routes and pages
// Schemas validate requests and responses; scopes, dry runs, OpenAPI and the reference page follow
// from the route.
export {
  nativeRoute,
  operatorRoute,
  tenantRoute,
  readRoute,
  type Route,
  type RouteResponse,
  type RouteRequest,
  type ServerSentEvent,
  writeRoute,
} from '../routes/route.js';
export type { ResponseShape } from '../routes/responses.js';
export * from '../routes/csv.js';
export { dayInWords, timeInWords } from '../domain/kernel/in-words.js';
export { nameError } from '../domain/kernel/names.js';
export { haveAllWords, wordsIn } from '../domain/kernel/name-words.js';
export { fold, nameKey } from '../domain/kernel/names.js';
export {
  type Attention,
  type ExtensionOverview,
  type OverviewDeclaration,
  SEVERITIES,
  type TenantAttention,
} from '../routes/extensions.js';
export type {
  AskedPerson,
  ExtensionExplain,
  PersonFact,
  PersonRemedy,
  SearchResult,
} from '../ports/tenants.js';
export type {
  OperatorCaller,
  SharedCaller,
  TenantCaller,
  TenantOperator,
} from '../routes/caller.js';
export { declareScope, type ExtensionScope, type Scope } from '../domain/scopes.js';
export type { ScopeDeclaration } from './contract/contract.js';
export {
  idField,
  instantField,
  lineField,
  PAGE_FIELDS,
  pageOf,
  textLike,
  timeField,
} from '../routes/fields.js';
export { eventFeed, eventsField } from '../routes/event-feed.js';
export { type IfMatch, meetsPrecondition } from '../domain/kernel/refusals.js';
export type { Idempotency } from '../domain/kernel/stored-response.js';
export type { PostedEvent, PostedEvents } from '../routes/extensions.js';
export type { Page, PageRequest, Site } from '../routes/extensions.js';

// Refuse a request
export {
  declareRefusal,
  type ExtensionRefusal,
  raise,
  type Refusal,
  type RefusalDetail,
  RefusalError,
  type RefusalKind,
  refuse,
} from '../domain/kernel/refusals.js';

// Add commands and doctor checks
export * from './contract/cli-resource.js';
export * from './contract/doctor-check.js';

// Log and measure
export type { PluginLog, PluginMetrics } from './contract/extension.js';
export type { Labels, MetricDescription, Sample } from '../ports/telemetry.js';

// Shared types and functions
export type { Actor, Source } from '../domain/kernel/actor.js';
export type { Tenant } from '../domain/tenant/tenant.js';
export { type CustomAttribute, customValues } from '../domain/tenant/custom-attributes.js';
export {
  type DeliveryId,
  parseDeliveryId,
  type GroupId,
  parseRecordId,
  type RecordId,
  type RoomId,
  type TenantId,
  type UserId,
} from '../domain/kernel/ids.js';
export { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
export { isSame } from '../domain/kernel/json.js';
export { type Clock, systemClock } from './contract/clock.js';
export { toE164 } from '../sms/phone-numbers.js';
