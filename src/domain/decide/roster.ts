import type { Group } from '../group.js';
import type { JobId, RosterId } from '../ids.js';
import { refuse } from '../refusals.js';
import type { Room } from '../room.js';
import type { Change, Need } from '../tables.js';
import type { Facts, Refused } from './decider.js';

/** Who keeps a roster: a room, a group, or both, for the members of a mapped room are one list. */
export interface Holder {
  readonly room: Room | null;
  readonly group: Group | null;
}

export const holderNeeds = (rosterId: RosterId): readonly Need[] => [
  { table: 'rooms', index: 'id', key: rosterId },
  { table: 'groups', index: 'roster', key: rosterId },
];

/** The holder as it is now; both null where the roster is nobody's any more. */
export const holderOf = (facts: Facts, rosterId: RosterId): Holder => {
  facts.require(holderNeeds(rosterId));
  return {
    room: facts.find('rooms', 'id', rosterId) ?? null,
    group: facts.find('groups', 'roster', rosterId) ?? null,
  };
};

export const memberCountOf = ({ room, group }: Holder): number => (room ?? group)?.memberCount ?? 0;

/** Whether a job still changes these members: other changes of them must wait, for events' sake. */
export const isBusy = ({ room, group }: Holder): boolean => (room ?? group)?.pendingJob !== null;

export const postponed = (): Refused => ({
  refusal: refuse(
    'UNAVAILABLE',
    'An earlier change of these members is still being carried out. Try again shortly.',
    { retryAfter: 2 },
  ),
  postponed: true,
});

interface Touch {
  /** How many members come (or, negative, go). */
  readonly by?: number;
  readonly pendingJob?: JobId | null;
}

/** Room and group both count their members, and a change of members is a change of both. */
export const touchHolder = (
  { now }: Pick<Facts, 'now'>,
  { room, group }: Holder,
  { by = 0, pendingJob }: Touch,
): readonly Change[] => {
  const touched = <T extends Room | Group>(held: T, isKeeper: boolean): T => ({
    ...held,
    memberCount: held.memberCount + by,
    version: held.version + 1,
    updatedAt: now,
    ...(isKeeper && pendingJob !== undefined ? { pendingJob } : {}),
  });
  return [
    ...(room ? [{ table: 'rooms', before: room, after: touched(room, true) } as const] : []),
    ...(group
      ? [{ table: 'groups', before: group, after: touched(group, room === null) } as const]
      : []),
  ];
};
