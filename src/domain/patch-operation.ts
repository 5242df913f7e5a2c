import type { JsonValue } from './json.js';

/**
 * One operation of a SCIM PATCH (RFC 7644, 3.5.2), already read and normalised by the edge. How it
 * applies to a profile is SCIM's affair: the decider is handed that as a function.
 */
export type PatchOperation = {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path?: string;
  readonly value?: JsonValue;
};
