import type { JsonObject } from '../../src/plugin/api.js';

/** A record to plan, or a deletion. */
export type Input =
  | { readonly sourceId: string; readonly data: JsonObject; readonly hash: string }
  | { readonly sourceId: string; readonly isDeleted: true };
export type RecordInput = Extract<Input, { data: JsonObject }>;
