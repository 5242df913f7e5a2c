import type { RosterId, TenantId, UserId } from './ids.js';

/**
 * One user on one roster: a document of its own, so that adding one costs the same at ten and at a
 * hundred thousand members.
 */
export interface Membership {
  /** Of roster and user: no user is on a roster twice. */
  readonly id: string;
  readonly tenantId: TenantId;
  readonly rosterId: RosterId;
  readonly userId: UserId;
  /** Whether he may transmit in the room; without meaning where there is none. */
  readonly txPermission: boolean;
  readonly addedAt: Date;
}

export const membershipIdOf = (rosterId: RosterId, userId: UserId): string =>
  `${rosterId}:${userId}`;

/** A question for the members of a roster in the order of their ids, a page at a time. */
export interface RosterPage {
  readonly rosterId: string;
  /** The user after whom it begins; empty: the first. */
  readonly after: string;
  readonly limit: number;
}

export const rosterPageKey = ({ rosterId, after, limit }: RosterPage): string =>
  `${rosterId}>${after}>${limit}`;

export const readRosterPageKey = (key: string): RosterPage => {
  const [rosterId = '', after = '', limit] = key.split('>');
  return { rosterId, after, limit: Number(limit) };
};
