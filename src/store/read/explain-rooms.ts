import type { ExplainReader, RoomFacts } from '../../ports/command-log.js';
import { groupNameKey, rosterOf } from '../../domain/group/group.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { nameKey } from '../../domain/kernel/names.js';
import { membershipIdOf } from '../../domain/room/room.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { groupTable } from '../tables/groups.js';
import { roomTable } from '../tables/rooms.js';
import {
  type ExplainParts,
  type ExplainReads,
  findDeactivation,
  findFormerMembership,
  lastEntry,
  originOf,
} from './explain-history.js';
import { rostersOf } from './explain-roles.js';
import { beginningsOf, findSimilar, similarTo } from './similar-names.js';

const MAX_COMMANDS = 5;
/** Refused commands that are examined. */
const MAX_REFUSED = 50;

/** Without attempts that another one made good, and all but the last of the same. */
const stillRefused = async (
  { entities }: ExplainParts,
  tenantId: TenantId,
  entries: readonly CommandLogEntry[],
): Promise<readonly CommandLogEntry[]> => {
  const names = entries.map(({ subject }) => nameKey(subject?.name ?? ''));
  const created = await entities.groups.all(tenantId, { 'folded.displayName': { $in: names } });
  const exists = new Set(created.map(groupNameKey));
  const seen = new Set<string>();
  return entries.filter(({ type, subject, refusal }) => {
    const name = nameKey(subject?.name ?? '');
    const key = `${type} ${name} ${refusal?.code ?? ''}`;
    const isNew = !seen.has(key) && !(type === 'group.create' && exists.has(name));
    seen.add(key);
    return isNew;
  });
};

/** Whatever has a similar name as a room. */
export const findSimilarNames: ExplainReads['similar'] = async (parts, tenantId, name) => {
  const { rooms, groups } = parts.collections;
  const near = { tenant: tenantId, name };
  const [foundRooms, foundGroups, tried] = await Promise.all([
    findSimilar(rooms, { ...near, field: 'folded.name' }, (room) => room.name),
    findSimilar(groups, { ...near, field: 'folded.displayName' }, (group) => group.displayName),
    Promise.all(beginningsOf(name).map((beginning) => parts.log.tried(tenantId, beginning))),
  ]);
  const ofRooms = { roster: { $in: foundRooms.map(({ _id }) => _id) } };
  const mapped = await parts.entities.groups.all(tenantId, ofRooms);
  const pushed = tried.flat().filter(({ type }) => type === 'group.create');
  const unique = [...new Map(pushed.map((entry) => [entry.id, entry])).values()];
  const named = similarTo(name, unique, ({ subject }) => subject?.name ?? '');
  return {
    rooms: foundRooms.map(roomTable.fromDocument).map((room) => ({
      room,
      group: mapped.find((group) => rosterOf(group) === room.id) ?? null,
    })),
    groups: foundGroups.filter(({ room }) => room === null).map(groupTable.fromDocument),
    refused: await stillRefused(parts, tenantId, named),
  };
};

/** The command that took the group from a room, unless its group came back with another name. */
const findUnmapping = async (parts: ExplainParts, tenantId: TenantId, roomId: string) => {
  const found = await Promise.all(
    (['room.unmap', 'group.delete'] as const).map((type) =>
      lastEntry(parts, tenantId, { touching: [roomId], type, outcome: 'applied' }),
    ),
  );
  const [last] = found
    .flatMap((entry) => entry ?? [])
    .sort((one, other) => other.at.getTime() - one.at.getTime());
  return last ?? null;
};

/** Of these groups, those that the log has a change of over SCIM. */
const findPushed = async (parts: ExplainParts, tenantId: TenantId, ids: readonly string[]) => {
  const bySource = { source: 'scim', outcome: 'applied' } as const;
  const found = await Promise.all(
    ids.map((subject) => lastEntry(parts, tenantId, { subject, ...bySource })),
  );
  return new Set(ids.filter((_id, index) => found[index]));
};

/** Of a user who is not in a room without a group: the groups that may have been meant for it. */
const findNear = async (
  parts: ExplainParts,
  ...[tenantId, user, room]: Parameters<ExplainReader['room']>
) => {
  const held = await rostersOf(parts, tenantId, user.id);
  const roomless = held.flatMap((one) => (one.room || !one.group ? [] : [one.group]));
  return {
    roomless: roomless.slice(0, MAX_COMMANDS),
    similar: await findSimilarNames(parts, tenantId, room.name),
  };
};

const NOTHING_NEAR: Pick<RoomFacts, 'roomless' | 'similar'> = {
  roomless: [],
  similar: { rooms: [], groups: [], refused: [] },
};

/** The command that added a member at this time; of a job, the command that started it. */
const findAddition = async (
  parts: ExplainParts,
  tenantId: TenantId,
  { touching, since }: { readonly touching: readonly string[]; readonly since: Date },
) => {
  const moment = { since, until: new Date(since.getTime() + 1) };
  const entry = await lastEntry(parts, tenantId, { touching, ...moment, outcome: 'applied' });
  return entry ? originOf(parts, tenantId, entry) : null;
};

/** Everything that determines whether a user is in a room. */
export const readRoomFacts: ExplainReads['room'] = async (parts, tenantId, user, room) => {
  const { entities, log } = parts;
  const touching = [user.id, room.id];
  const [group, named, membership, commands, refused] = await Promise.all([
    entities.groups.one(tenantId, { roster: room.id }),
    entities.groups.one(tenantId, { 'folded.displayName': nameKey(room.name) }),
    entities.memberships.one(tenantId, { _id: membershipIdOf(room.id, user.id) }),
    log.page(tenantId, { touching, outcome: 'applied', limit: MAX_COMMANDS }),
    log.page(tenantId, { touching: [user.id], outcome: 'refused', limit: MAX_REFUSED }),
  ]);
  const near = group || membership ? NOTHING_NEAR : await findNear(parts, tenantId, user, room);
  const involved = [group, named, ...near.roomless, ...near.similar.groups];
  const pushed = involved.flatMap((one) => one?.id ?? []);
  const skipping = { subject: group?.id ?? '', skipped: true } as const;
  return {
    ...near,
    pushed: await findPushed(parts, tenantId, pushed),
    refused: (await stillRefused(parts, tenantId, refused.entries)).slice(0, MAX_COMMANDS),
    deactivatedBy: user.profile.active ? null : await findDeactivation(parts, tenantId, user.id),
    unmappedBy: group ? null : await findUnmapping(parts, tenantId, room.id),
    skippedBy: group && !membership ? await lastEntry(parts, tenantId, skipping) : null,
    group: group ?? null,
    namesake: named && named.roomId !== room.id ? named : null,
    membership: membership ?? null,
    former: membership ? null : await findFormerMembership(parts, { tenantId, user, room }),
    addedBy: membership
      ? await findAddition(parts, tenantId, { touching, since: membership.addedAt })
      : null,
    commands: commands.entries,
  };
};
