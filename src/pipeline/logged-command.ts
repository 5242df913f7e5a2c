import type { JsonValue } from '../domain/json.js';

/** What a command was about, or what else it changed, as the provisioning log names it. */
export interface LoggedThing {
  /** `user`, `room`, `group`, `role_mapping`, `sms_list`, `api_key`, `tenant`, `job`, or a plugin's. */
  readonly kind: string;
  /** Null for what was refused before it came to be: its id would be known to no one else. */
  readonly id: string | null;
  /** As it was at that time: a user's user name, a group's display name, a key's description. */
  readonly name: string | null;
}

/** A value that a command changed. */
export interface LoggedChange {
  /** Of the subject; of anything else it begins with what that is: `users[<id>].role`. */
  readonly path: string;
  /** Null where there was none. Absent, with `after`: changed, but its values are not kept. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Things named in one line; their count is exact. */
export const MAX_AFFECTED_SHOWN = 20;
/** Affected things by whose id a line is found: all that one commit changes. */
export const MAX_AFFECTED_KEYS = 1_000;
/** Changes kept in one line; their count is exact. */
export const MAX_CHANGES_SHOWN = 50;
