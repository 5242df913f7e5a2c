/**
 * The contract of extensions: the only module of Rollgate that a plugin or a connector may import
 * (from outside: `rollgate/plugin`).
 */

// Declaring an extension
export {
  API_VERSION,
  type Manifest,
  type Plugin,
  type ScopeDeclaration,
  type SettingFault,
} from './contract.js';
export { type Connector, defineConnector } from './define-connector.js';
export { definePlugin } from './define-plugin.js';

// What a started plugin provides
export type {
  Delivery,
  DeliveryOutcome,
  DurableSubscriber,
  EventSubscriber,
  JobKind,
  JobStep,
  JobStepResult,
  PluginHealth,
  RunningPlugin,
  Timer,
  TimerRun,
} from './contract.js';

// What the host provides
export type {
  ChangeRequest,
  MarkedNote,
  PluginActions,
  PluginDeliveries,
  PluginEvents,
  PluginHost,
  PluginJobs,
  PluginLeases,
  PluginLog,
  PluginMetrics,
  PluginNotes,
  PluginRecords,
  SecretBox,
} from './host.js';
export type {
  DocumentOwner,
  DocumentQuery,
  Fence,
  JobQuery,
  NewDocument,
  PluginCollection,
  PluginDocument,
  PluginJob,
  PluginJobState,
  StartJob,
  WriteOptions,
} from '../api/plugin-storage.js';
export type {
  HttpSender,
  OutboundResponse,
  OutboundPolicy,
  OutboundRequest,
} from './http-sender.js';
export type { Labels, MetricDescription, Sample } from '../api/metrics.js';

// Routes, pages and the OpenAPI document
export type { AnswerShape } from '../api/accepted-answer.js';
export type { OperatorCaller, ReadingCaller, TenantCaller } from '../api/caller.js';
export { FEED_ANSWERS, FeedQuery, readFeed } from '../api/event-feed.js';
export { EVENT_SHAPES } from '../api/event-shapes.js';
export type { PostedEvent, PostedEvents } from '../api/extensions.js';
export {
  nativeRoute,
  operatorRoute,
  readRoute,
  type Route,
  type RouteAnswer,
  type RouteRequest,
  type ServerSentEvent,
} from '../api/route.js';
export type { Page, PageRequest, Site } from '../api/site.js';

// Commands of `rollgate` and checks of `rollgate doctor`
export {
  type CliAccess,
  type CliAction,
  type CliArgument,
  type CliCall,
  type CliColumn,
  type CliCreate,
  type CliDelete,
  type CliField,
  type CliInteger,
  type CliItem,
  type CliList,
  type CliOption,
  type CliResource,
  type CliResult,
  type CliSection,
  type CliTable,
  type CliUpdate,
  type CliVerb,
  defineCliResource,
} from './cli-resource.js';
export type {
  CheckResult,
  ConnectionResult,
  ConnectionTarget,
  DoctorCheck,
  DoctorCheckContext,
} from './doctor-check.js';

// Fields of settings, requests and responses
export { z } from 'zod';
export type { Secret } from '../../config/secret.js';
export { idField, instantField, lineField, PAGE_FIELDS, pageOf, timeField } from '../api/fields.js';
export { durationField } from './duration-field.js';
export { secretField } from './secret-field.js';

// Errors
export {
  declareRefusal,
  type ExtensionRefusal,
  raise,
  type Refusal,
  type RefusalDetail,
  type RefusalKind,
  RefusalError,
  refuse,
} from '../domain/refusals.js';
export { LeaseLost, VersionConflict } from '../api/plugin-storage.js';

// From the domain
export type { Actor, Source } from '../domain/actor.js';
export type { DescribedRecord, PluginRule, PluginVerdict } from '../domain/decide/decider.js';
export {
  type AttemptRecord,
  DELIVERY_STATES,
  type DeliveryOwner,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryRecord,
  type KeptOfAttempt,
  MOST_COUNTED,
  type RecoverRequest,
  type Recovery,
  RECOVERY_STATES,
  type RedeliverRequest,
} from '../domain/delivery-record.js';
export { type EventEnvelope, envelopeOf } from '../domain/event-envelope.js';
export { type DomainEvent, EVENT_NAMES, type EventName } from '../domain/events.js';
export {
  type DeliveryId,
  parseDeliveryId,
  parseRecordId,
  type RecordId,
  type TenantId,
} from '../domain/ids.js';
export { isSame } from '../domain/is-same.js';
export type { JsonObject, JsonValue } from '../domain/json.js';
export type { PluginRecord } from '../domain/plugin-record.js';
export { type IfMatch, meets } from '../domain/precondition.js';
export type { Idempotency } from '../domain/remembered-answer.js';
export { declareScope, type ExtensionScope, type Scope } from '../domain/scopes.js';
export type { Tenant } from '../domain/tenant.js';

// Tools
export { type Clock, systemClock } from './clock.js';
export {
  type AddressGuard,
  createAddressGuard,
  isAddressRange,
  type UrlCheckResult,
} from './outbound/address-guard.js';
export { readCaFile } from './outbound/trusted-certificates.js';
