import { fold } from '../kernel/names.js';
import type { TenantId, UserId } from '../kernel/ids.js';
import type { JsonObject, JsonValue } from '../kernel/json.js';
import type { EventName, NewEvent } from '../events.js';

/** One of a user's e-mail addresses (RFC 7643, 4.1.2). */
type EmailAddress = {
  readonly value?: string;
  readonly type?: string;
  readonly primary?: boolean;
  readonly display?: string;
};

type PersonName = {
  readonly formatted?: string;
  readonly givenName?: string;
  readonly familyName?: string;
  readonly middleName?: string;
  readonly honorificPrefix?: string;
  readonly honorificSuffix?: string;
};

/**
 * The writable attributes of SCIM's core User schema (RFC 7643, 4.1), as the source sent them, and the
 * Enterprise User extension under `enterprise`, the tenant's own extension under `custom`. Never contains `roles`, `groups`, `id`, `meta` or
 * `password`.
 */
export interface UserProfile {
  readonly userName: string;
  readonly active: boolean;
  readonly externalId?: string;
  readonly displayName?: string;
  readonly name?: PersonName;
  readonly emails?: readonly EmailAddress[];
  readonly enterprise?: JsonObject;
  readonly custom?: JsonObject;
  readonly [attribute: string]: JsonValue | undefined;
}

/** A user of a tenant. */
export interface User {
  readonly id: UserId;
  readonly tenantId: TenantId;
  /** Counts the changes of the user, from 1; the ETag and SCIM's `meta.version`. */
  readonly version: number;
  readonly profile: UserProfile;
  /** The address that the native interface shows, unique per tenant; see emailOf. */
  readonly email: string | null;
  /** The role from a mapping; null: the tenant's default role. */
  readonly role: string | null;
  /**
   * The connector whose command made the user inactive; null: another interface changed `active`
   * last. Absent: unchanged since the creation, or since before this was stored.
   */
  readonly deactivatedBy?: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const EMAIL = /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/;

/** Whether the text has the form local@domain, without comments, quotes or spaces. */
export const isEmailAddress = (text: string): boolean => text.length <= 254 && EMAIL.test(text);

/**
 * The user's e-mail address: the primary one, else the first, else the user name, else null; texts
 * that are no address, such as "n/a", do not count (decisions.md 4).
 */
export const emailOf = (profile: UserProfile): string | null => {
  const addresses = (profile.emails ?? []).filter(({ value }) => isEmailAddress(value ?? ''));
  const chosen = addresses.find((email) => email.primary) ?? addresses[0];
  return chosen?.value ?? (isEmailAddress(profile.userName) ? profile.userName : null);
};

/** The display name, else the name's parts, else the user name. */
export const displayNameOf = ({ displayName, name, userName }: UserProfile): string => {
  const parts = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  return displayName ?? name?.formatted ?? (parts || userName);
};

/** The effective role: from a mapping, else the tenant's default (decisions.md 5). */
export const roleOf = (
  user: Pick<User, 'role'>,
  tenant: { readonly defaultRole: string },
): string => user.role ?? tenant.defaultRole;

/** The unique keys of a user within the tenant. */
export const userNameKey = (user: User): string => fold(user.profile.userName);
export const emailKey = (user: User): string | null =>
  user.email === null ? null : fold(user.email);

/** `data.user` of every event about a user. */
export const summariseUser = (user: User): JsonObject => ({
  id: user.id,
  email: user.email,
  display_name: displayNameOf(user.profile),
  active: user.profile.active,
});

type UserEventName = Extract<EventName, `user.${string}`>;

/** The user has the shown profile, without values that the tenant does not declare. */
export const userEvent = (name: UserEventName, user: User, more: JsonObject = {}): NewEvent => ({
  name,
  resource: { kind: 'user', id: user.id },
  data: { user: summariseUser(user), ...more },
  ...(user.profile.custom && { custom: user.profile.custom }),
});
