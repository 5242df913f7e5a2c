import type { JsonValue } from './json.js';

/**
 * One operation of a SCIM PATCH (RFC 7644, 3.5.2), parsed and normalised by the edge. The decider gets
 * the function that applies it, `Rules.applyPatch`.
 */
export type PatchOperation = {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path?: string;
  readonly value?: JsonValue;
};
