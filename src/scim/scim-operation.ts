import type { JsonBody } from './streamed-json.js';
import type { ScimRequest } from './scim-request.js';

/** The result of an operation; the HTTP edge derives status, headers and 304 from it. */
export interface ScimResponse {
  /** Builds the body; not called if the client already has this version. Absent: no body. */
  readonly body?: () => JsonBody | Promise<JsonBody>;
  readonly created?: true;
  /** Version of the single resource in the body. */
  readonly version?: number;
  /** Whether parts of the body can change without the version: then there is no 304. */
  readonly isVolatile?: boolean;
  /** URL of the single resource in the body. */
  readonly location?: string;
}

/** An operation of the SCIM interface. Rejects with RefusalError. */
export type ScimOperation = (request: ScimRequest) => Promise<ScimResponse>;

/** The operations on a resource type. */
export interface ResourceOperations {
  readonly list: ScimOperation;
  readonly create: ScimOperation;
  readonly read: ScimOperation;
  readonly replace: ScimOperation;
  readonly patch: ScimOperation;
  readonly delete: ScimOperation;
}
