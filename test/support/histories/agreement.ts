import { expect } from 'vitest';
import type { BulkOutcome, RoomView } from '../../../src/domain/commands.js';
import type { NewEvent } from '../../../src/domain/events.js';
import type { Group } from '../../../src/domain/group/group.js';
import type { Membership } from '../../../src/domain/room/room.js';
import type { RoleMapping } from '../../../src/domain/role/role-mapping.js';
import type { User } from '../../../src/domain/user/user.js';
import type { Outcome } from '../../../src/pipeline/submit.js';
import type { ModelCommand } from './model-commands.js';

export interface ModelEvent {
  readonly name: string;
  readonly data: object;
}

const showGroup = ({ id, displayName, externalId, roomId }: Group): object => ({
  id,
  displayName,
  externalId,
  roomId,
});

const showRoom = ({ room, group, role }: RoomView): object => ({
  id: room.id,
  name: room.name,
  group: group?.id ?? null,
  displayName: group?.displayName ?? null,
  externalId: group?.externalId ?? null,
  role,
});

const showMapping = (mapping: RoleMapping): object => ({
  id: mapping.id,
  name: mapping.groupDisplayName,
  role: mapping.role,
  applies: mapping.applyOnScimProvisioning,
  priority: mapping.priority,
});

const showMember = ({ userId, rosterId, txPermission }: Membership): object => ({
  userId,
  rosterId,
  txPermission,
});

const showUser = ({ id, profile }: User): object => ({ id, profile });

const showOperation = (outcome: BulkOutcome): object | null => {
  if (!outcome) return null;
  if ('refusal' in outcome) return { code: outcome.refusal.code };
  const { result } = outcome;
  if (!result) return { result: null };
  return { result: 'profile' in result ? showUser(result) : showGroup(result) };
};

/** The part of a result that depends on neither batches nor jobs. */
const show = ({ type }: ModelCommand, result: unknown): object | null => {
  if (type === 'bulk') return (result as readonly BulkOutcome[]).map(showOperation);
  if (result === null || type === 'tenant.update') return null;
  if (type.startsWith('user.')) return showUser(result as User);
  if (type.startsWith('room.')) return showRoom(result as RoomView);
  if (type.startsWith('group.')) return showGroup(result as Group);
  if (type.startsWith('role-mapping.')) return showMapping(result as RoleMapping);
  return type === 'member.sync' ? (result as object) : showMember(result as Membership);
};

/** What an outcome has in common with that of the same command without batches and jobs. */
export const asModelOutcome = (command: ModelCommand, outcome: Outcome): object =>
  outcome.ok
    ? { ok: true, changed: outcome.changed, result: show(command, outcome.result) }
    : { ok: false, code: outcome.refusal.code };

export const asModelEvents = (events: readonly Pick<NewEvent, 'name' | 'data'>[]) =>
  events.map(({ name, data }): ModelEvent => ({ name, data }));

interface Data {
  readonly user?: { readonly id: string };
  readonly room?: { readonly id: string };
  readonly group?: { readonly id: string };
  readonly changed?: readonly string[];
}

export const isRoleEvent = ({ name, data }: ModelEvent): boolean =>
  name === 'user.updated' && (data as Data).changed?.join() === 'role';

const kindOf = (event: ModelEvent): string => {
  if (isRoleEvent(event)) return 'role';
  return event.name.includes('.member_') ? 'member' : 'single';
};

/** The subject of an event: events of one subject are ordered, events of several may not be. */
export const subjectOf = ({ data }: ModelEvent): string => {
  const { user, room, group } = data as Data;
  const holder = room ?? (user && group);
  return `${holder?.id ?? ''}:${user?.id ?? group?.id ?? ''}`;
};

const bySubject = (one: ModelEvent, other: ModelEvent): number =>
  subjectOf(one).localeCompare(subjectOf(other));

/**
 * Sorts runs of member events and of role events by subject: their order within one request is not
 * defined. All other events keep their order.
 */
export const inComparableOrder = (events: readonly ModelEvent[]): readonly ModelEvent[] => {
  const runs: ModelEvent[][] = [];
  let last = 'single';
  for (const event of events) {
    const kind = kindOf(event);
    const run = runs.at(-1);
    if (run && kind === last && kind !== 'single') run.push(event);
    else runs.push([event]);
    last = kind;
  }
  return runs.flatMap((run) => run.sort(bySubject));
};

/** Sorted by subject only, to compare the steps of a job with a single commit. */
export const withoutRoleEvents = (events: readonly ModelEvent[]): readonly ModelEvent[] =>
  events.filter((event) => !isRoleEvent(event)).sort(bySubject);

/**
 * Checks the invariants of every event log: no user joins twice or leaves without having joined,
 * and no event refers to an entity before its creation or after its deletion.
 */
export const expectConsistentLog = (events: readonly ModelEvent[]): ReadonlySet<string> => {
  const present = new Set<string>();
  for (const event of events) {
    const [subject, { name }] = [subjectOf(event), event];
    const begins = name.endsWith('.member_added') || name.endsWith('.created');
    expect(present.has(subject), `${name} of ${subject}`).toBe(!begins);
    if (begins) present.add(subject);
    else if (name.endsWith('.member_removed') || name.endsWith('.deleted')) present.delete(subject);
  }
  return present;
};
