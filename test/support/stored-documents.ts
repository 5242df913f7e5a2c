import { groupTable } from '../../src/store/tables/groups.js';
import { membershipTable } from '../../src/store/tables/rooms.js';

/** For tables without a sealed field. */
export const noSeal = { seal: (plain: string) => plain, unseal: (sealed: string) => sealed };

/** A group as it is stored. */
export const toGroupDocument = groupTable.toDocument;

/** A membership as it is stored. */
export const toMembershipDocument = membershipTable.toDocument;
