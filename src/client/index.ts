/** `rollgate/client`: a typed client of the API, and the verification of webhook deliveries. */
export {
  type ClientResponse,
  createRollgateClient,
  type RollgateClient,
  type StreamedEvent,
  type StreamOptions,
} from './client.js';
export {
  COMPARED_FIELDS,
  type ComparedField,
  type ComparedRow,
  compareUsers,
  type ExportColumns,
  MAX_EXPORT_BYTES,
  type ProviderExport,
  readProviderExport,
  rowsOfComparison,
  type UserComparison,
  type UserDifference,
  type UserHere,
  usersToCompare,
  type UserThere,
} from './compare-users.js';
export { splitCsv, withoutGuard } from './csv.js';
export type { components, paths } from './generated/openapi.js';
export { KEY_PRESETS } from './key-presets.js';
export { nameKey } from './name-key.js';
export type {
  CallArguments,
  CallOptions,
  DryRun,
  ItemOf,
  ListPath,
  PathsWith,
  ResultOf,
  Verb,
} from './operation.js';
export { RollgateError, type RollgateErrorCode } from './rollgate-error.js';
export {
  applyTenantPlan,
  type CreatedSecret,
  exportTenant,
  type PlanOptions,
  planTenant,
  type TenantFile,
  TenantFileError,
  type TenantPlan,
  type TenantStep,
} from './tenant-file.js';
export type { ClientOptions, Method, RawResponse, RequestParts, Transport } from './transport.js';
export {
  type DeliveryHeaders,
  type VerificationFailure,
  verify,
  type VerifyOptions,
  WebhookVerificationError,
} from './verify.js';
export type { WebhookEvent, WebhookEventName, WebhookEventOf, WebhookTestEvent } from './verify.js';
