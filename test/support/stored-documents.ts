import type { Group } from '../../src/domain/group/group.js';
import type { Membership } from '../../src/domain/room/room.js';
import { type GroupDocument, groupTable } from '../../src/store/tables/groups.js';
import { type MembershipDocument, membershipTable } from '../../src/store/tables/rooms.js';

/** For tables without a sealed field. */
export const noSeal = { seal: (plain: string) => plain, unseal: (sealed: string) => sealed };

/** A group as it is stored. */
export const toGroupDocument = (group: Group): GroupDocument =>
  groupTable.writes!.toDocument(group, noSeal) as unknown as GroupDocument;

/** A membership as it is stored. */
export const toMembershipDocument = (membership: Membership): MembershipDocument =>
  membershipTable.writes!.toDocument(membership, noSeal) as unknown as MembershipDocument;
