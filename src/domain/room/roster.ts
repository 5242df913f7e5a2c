import { type Facts, postpone } from '../kernel/decider.js';
import type { Group } from '../group/group.js';
import type { JobId, RosterId } from '../kernel/ids.js';
import type { Room } from './room.js';
import type { Change, Lookup } from '../tables.js';

/** The owner of a roster: a room, a group, or both, because a mapped room has one member list. */
export interface RosterOwner {
  readonly room: Room | null;
  readonly group: Group | null;
}

export const ownerLookups = (rosterId: RosterId): readonly Lookup[] => [
  { table: 'rooms', index: 'id', key: rosterId },
  { table: 'groups', index: 'roster', key: rosterId },
];

/** The current owner; both are null if the roster has none any more. */
export const ownerOf = (facts: Facts, rosterId: RosterId): RosterOwner => {
  facts.require(ownerLookups(rosterId));
  return {
    room: facts.find('rooms', 'id', rosterId) ?? null,
    group: facts.find('groups', 'roster', rosterId) ?? null,
  };
};

/** That no job still changes these members: other changes have to wait, to keep events in order. */
export const requireNoJob = ({ room, group }: RosterOwner): void => {
  if ((room ?? group)?.pendingJob !== null) postpone('these members');
};

interface Touch {
  /** Number of members added, or removed if negative. */
  readonly by?: number;
  readonly pendingJob?: JobId | null;
}

/** A change of members is a change of both room and group, which count their members. */
export const touchOwner = (
  { now }: Pick<Facts, 'now'>,
  { room, group }: RosterOwner,
  { by = 0, pendingJob }: Touch,
): readonly Change[] => {
  const touched = <T extends Room | Group>(owner: T, keepsJob: boolean): T => ({
    ...owner,
    memberCount: owner.memberCount + by,
    version: owner.version + 1,
    updatedAt: now,
    ...(keepsJob && pendingJob !== undefined ? { pendingJob } : {}),
  });
  return [
    ...(room ? [{ table: 'rooms', before: room, after: touched(room, true) } as const] : []),
    ...(group
      ? [{ table: 'groups', before: group, after: touched(group, room === null) } as const]
      : []),
  ];
};
