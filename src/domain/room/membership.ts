import type { RosterId, TenantId, UserId } from '../kernel/ids.js';

/**
 * One user on one roster. A document of its own, so that adding one costs the same at 10 and at
 * 100,000 members.
 */
export interface Membership {
  /** Derived from roster and user: a user is on a roster at most once. */
  readonly id: string;
  readonly tenantId: TenantId;
  readonly rosterId: RosterId;
  readonly userId: UserId;
  /** Whether the user may transmit in the room. Unused on the roster of a role-only group. */
  readonly txPermission: boolean;
  readonly addedAt: Date;
}

export const membershipIdOf = (rosterId: RosterId, userId: UserId): string =>
  `${rosterId}:${userId}`;

/** A page of a roster's members, in the order of their ids. */
export interface RosterPage {
  readonly rosterId: string;
  /** The last user id of the page before; empty for the first page. */
  readonly after: string;
  readonly limit: number;
}

export const rosterPageKey = ({ rosterId, after, limit }: RosterPage): string =>
  `${rosterId}>${after}>${limit}`;

export const parseRosterPageKey = (key: string): RosterPage => {
  const [rosterId = '', after = '', limit] = key.split('>');
  return { rosterId, after, limit: Number(limit) };
};
