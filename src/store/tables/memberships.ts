import type { RosterId, TenantId, UserId } from '../../domain/kernel/ids.js';
import { type Membership, parseRosterPageKey } from '../../domain/room/room.js';
import { defineCollection } from './collection.js';
import { defineTable } from './table.js';

export interface MembershipDocument {
  /** Of roster and user. */
  readonly _id: string;
  readonly tenant: string;
  readonly roster: string;
  readonly user: string;
  readonly tx: boolean;
  readonly addedAt: Date;
}

export const memberships = defineCollection<MembershipDocument>({
  name: 'memberships',
  fields: {
    _id: String,
    tenant: String,
    roster: String,
    user: String,
    tx: Boolean,
    addedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, roster: 1, user: 1 }, unique: true },
    { key: { tenant: 1, user: 1, roster: 1 } },
  ],
  purge: 'by tenant',
});

export const fromMembershipDocument = (document: MembershipDocument): Membership => ({
  id: document._id,
  tenantId: document.tenant as TenantId,
  rosterId: document.roster as RosterId,
  userId: document.user as UserId,
  txPermission: document.tx,
  addedAt: document.addedAt,
});

export const membershipTable = defineTable<'memberships', MembershipDocument>(memberships, {
  keys: { id: '_id', roster: 'roster', user: 'user' },
  pages: {
    page: (key) => {
      const { rosterId, after, limit } = parseRosterPageKey(key);
      return { conditions: { roster: rosterId, user: { $gt: after } }, sort: { user: 1 }, limit };
    },
  },
  fromDocument: fromMembershipDocument,
  writes: {
    toDocument: (membership) => ({
      _id: membership.id,
      tenant: membership.tenantId,
      roster: membership.rosterId,
      user: membership.userId,
      tx: membership.txPermission,
      addedAt: membership.addedAt,
    }),
  },
});
