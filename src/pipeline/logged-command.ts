import type { JsonValue } from '../domain/kernel/json.js';

/** A resource in the provisioning log. */
export interface LoggedResource {
  /** `user`, `room`, `group`, `role_mapping`, `sms_list`, `api_key`, `tenant`, `job`, or a plugin's. */
  readonly kind: string;
  /** Null if its creation was refused: the generated id belongs to nothing. */
  readonly id: string | null;
  /** Its name at that time: a user name, a group's display name, a key's description. */
  readonly name: string | null;
}

/** A value that a command changed. */
export interface LoggedChange {
  /** A field of the subject, or of another resource: `users[<id>].role`. */
  readonly path: string;
  /** Null: not set. `before` and `after` are absent if the values are not logged. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Affected resources that an entry shows; their count is exact. */
export const MAX_AFFECTED_SHOWN = 20;
/** Affected resources whose ids find the entry: as many as one commit changes. */
export const MAX_AFFECTED_KEYS = 1_000;
/** Changes that an entry shows; their count is exact. */
export const MAX_CHANGES_SHOWN = 50;
