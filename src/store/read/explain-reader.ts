import type {
  CommandLogReader,
  ExplainReader,
  FoundUser,
  UserRoster,
  LogPosition,
  MappingWithGroup,
  SimilarNames,
} from '../../ports/command-log.js';
import { fold, nameKey } from '../../domain/kernel/names.js';
import { groupNameKey } from '../../domain/group/group.js';
import { parseRoomId, parseUserId, type TenantId, type UserId } from '../../domain/kernel/ids.js';
import { rolesSubject } from '../../domain/job/job.js';
import { membershipIdOf } from '../../domain/room/room.js';
import { findFormerMembership, readAttempts } from './explain-history.js';
import { mappingNameKey } from '../../domain/role/role-mapping.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { isDeactivation, namesIn } from '../../pipeline/log/log-keys.js';
import { guarded } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { groupCodec, roleMappingCodec } from '../tables/groups.js';
import { membershipCodec, roomCodec } from '../tables/rooms.js';
import { fromUserDocument, USER_PROJECTION } from '../tables/users.js';

/** Rooms and groups of a user that are examined. */
const MAX_ROSTERS = 500;
/** Role mappings that are examined for others that could change the role. */
const MAX_MAPPINGS = 100;
const MAX_COMMANDS = 5;
/** Of a refused user: the user name and the e-mail address. */
const MAX_NAMES = 2;

/** Pages of a user's log that are searched for the deactivation. */
const MAX_PAGES = 4;
const PAGE = 50;
const NOTHING_SIMILAR: SimilarNames = { rooms: [], groups: [], refused: [] };

const SINGLE_BATCH = { batchSize: 1_000 };

/** Reads for `explain`, within one tenant. */
export const mongoExplainReader = (
  collections: Collections,
  log: CommandLogReader,
): ExplainReader => {
  const { users, deletedUsers, rooms, groups, memberships, roleMappings, jobs } = collections;

  const attempts = readAttempts(collections, log);

  const findDeleted = async (tenantId: TenantId, id: string): Promise<FoundUser | undefined> => {
    const [found, { entries }] = await Promise.all([
      deletedUsers.findOne({ _id: id, tenant: tenantId }),
      log.page(tenantId, { subject: id, type: 'user.delete', limit: 1 }),
    ]);
    if (!found) return undefined;
    return { user: fromUserDocument(found), deletedAt: found.departedAt, deletedBy: entries[0] };
  };

  /** Names of deleted users are indexed only by the log. */
  const findDeletedByName = async (tenantId: TenantId, name: string) => {
    const { entries } = await log.page(tenantId, { subject: name, limit: 10 });
    const id = entries.find(({ subject }) => subject?.kind === 'user' && subject.id)?.subject?.id;
    return id ? findDeleted(tenantId, id) : undefined;
  };

  const findUser = async (tenantId: TenantId, text: string): Promise<FoundUser | undefined> => {
    const id = parseUserId(text);
    const name = fold(text);
    const findBy = (condition: object) =>
      users.findOne({ tenant: tenantId, ...condition }, { projection: USER_PROJECTION });
    // Alternatives in one query would not use their indexes, which are partial.
    const found = await Promise.all([
      // A user name may be a UUID too: ids take precedence.
      ...(id ? [findBy({ _id: id })] : []),
      findBy({ 'folded.userName': name }),
      findBy({ 'folded.email': name }),
    ]);
    const chosen = found.find((one) => one !== null);
    if (chosen) return { user: fromUserDocument(chosen), deletedAt: null };
    return id ? findDeleted(tenantId, id) : findDeletedByName(tenantId, text);
  };

  const rostersOf = async (tenantId: TenantId, userId: string): Promise<readonly UserRoster[]> => {
    const held = await memberships
      .find(
        { tenant: tenantId, user: userId },
        { ...SINGLE_BATCH, projection: { _id: 0, roster: 1 } },
      )
      .sort({ roster: 1 })
      .limit(MAX_ROSTERS + 1)
      .toArray();
    const ids = held.map(({ roster }) => roster);
    if (ids.length === 0) return [];
    const [foundRooms, foundGroups] = await Promise.all([
      rooms.find({ tenant: tenantId, _id: { $in: ids } }, SINGLE_BATCH).toArray(),
      groups.find({ tenant: tenantId, roster: { $in: ids } }, SINGLE_BATCH).toArray(),
    ]);
    const names = foundGroups.map(({ folded }) => folded.displayName);
    const mappings = await roleMappings
      .find({ tenant: tenantId, 'folded.groupDisplayName': { $in: names } }, SINGLE_BATCH)
      .toArray();
    const roomById = new Map(foundRooms.map((room) => [room._id, roomCodec.fromDocument(room)]));
    const groupByRoster = new Map(
      foundGroups.map((group) => [group.roster, groupCodec.fromDocument(group)]),
    );
    const mappingByName = new Map(
      mappings.map((mapping) => [
        mapping.folded.groupDisplayName,
        roleMappingCodec.fromDocument(mapping),
      ]),
    );
    return ids.map((id) => {
      const group = groupByRoster.get(id) ?? null;
      const mapping = (group && mappingByName.get(groupNameKey(group))) ?? null;
      return { room: roomById.get(id) ?? null, group, mapping };
    });
  };

  const otherMappings = async (
    tenantId: TenantId,
    held: readonly UserRoster[],
  ): Promise<readonly MappingWithGroup[]> => {
    const own = new Set(held.flatMap(({ mapping }) => mapping?.id ?? []));
    const found = await roleMappings
      .find({ tenant: tenantId }, SINGLE_BATCH)
      .sort({ createdAt: 1, _id: 1 })
      .limit(MAX_MAPPINGS)
      .toArray();
    const others = found.map(roleMappingCodec.fromDocument).filter(({ id }) => !own.has(id));
    const named = await groups
      .find(
        { tenant: tenantId, 'folded.displayName': { $in: others.map(mappingNameKey) } },
        SINGLE_BATCH,
      )
      .toArray();
    const byName = new Map(
      named.map((group) => [group.folded.displayName, groupCodec.fromDocument(group)]),
    );
    return others.map((mapping) => ({
      mapping,
      group: byName.get(mappingNameKey(mapping)) ?? null,
    }));
  };

  /**
   * A job's step is a command of the gateway; the command that started the job has the same request
   * id.
   */
  const originOf = async (tenantId: TenantId, line: CommandLogEntry): Promise<CommandLogEntry> => {
    if (line.type !== 'job.step') return line;
    const { requestId } = line;
    const { entries } = await log.page(tenantId, { requestId, until: line.at, limit: 50 });
    return entries.find(({ type }) => type !== 'job.step') ?? line;
  };

  const addedBy = async (
    tenantId: TenantId,
    ids: readonly string[],
    at: Date,
  ): Promise<CommandLogEntry | null> => {
    const until = new Date(at.getTime() + 1);
    const window = { touching: ids, since: at, until, outcome: 'applied', limit: 1 } as const;
    const { entries } = await log.page(tenantId, window);
    const [line] = entries;
    return line ? originOf(tenantId, line) : null;
  };

  /** The command that took the group from a room, unless its group came back with another name. */
  const findUnmapping = async (tenantId: TenantId, roomId: string) => {
    const found = await Promise.all(
      (['room.unmap', 'group.delete'] as const).map((type) =>
        log.page(tenantId, { touching: [roomId], type, outcome: 'applied', limit: 1 }),
      ),
    );
    const [last] = found
      .flatMap(({ entries }) => entries)
      .sort((one, other) => other.at.getTime() - one.at.getTime());
    return last ?? null;
  };

  const formerMembership = async (...[tenantId, user, room]: Parameters<ExplainReader['room']>) => {
    const former = await findFormerMembership({ collections, log }, { tenantId, user, room });
    if (former.is !== 'removed') return former;
    return { ...former, by: await originOf(tenantId, former.by) };
  };

  const findDeactivation = async (
    tenantId: TenantId,
    userId: UserId,
  ): Promise<CommandLogEntry | null> => {
    let after: LogPosition | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { subject: userId, limit: PAGE, ...(after && { after }) };
      const { entries, next } = await log.page(tenantId, query);
      const found = entries.find(isDeactivation);
      if (found) return found;
      if (!next) return null;
      after = next;
    }
    return null;
  };

  /** Of these groups, those that the log has a change of over SCIM. */
  const findPushed = async (
    tenantId: TenantId,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> => {
    const query = { source: 'scim', outcome: 'applied', limit: 1 } as const;
    const pages = await Promise.all(
      ids.map((subject) => log.page(tenantId, { subject, ...query })),
    );
    return new Set(ids.filter((_id, index) => pages[index]?.entries.length));
  };

  const findSkipping = async (tenantId: TenantId, groupId: string) => {
    const { entries } = await log.page(tenantId, { subject: groupId, skipped: true, limit: 1 });
    return entries[0] ?? null;
  };

  return guarded<ExplainReader>({
    refusedUsers: async (tenantId, text) => {
      const tried = await log.tried(tenantId, text);
      return tried.filter(({ type }) => type === 'user.create');
    },
    missingUsers: async (tenantId, code) => {
      const query = { outcome: 'refused', type: 'user.create', limit: 100 } as const;
      const { entries } = await log.page(tenantId, query);
      const names = new Map(
        entries.flatMap(({ subject, refusal }) =>
          refusal?.code === code && subject?.name ? [[fold(subject.name), subject.name]] : [],
        ),
      );
      const created = await users
        .find(
          { tenant: tenantId, 'folded.userName': { $in: [...names.keys()] } },
          { ...SINGLE_BATCH, projection: { 'profile.userName': 1 } },
        )
        .toArray();
      for (const { profile } of created) names.delete(fold(profile.userName));
      return [...names.values()];
    },
    similar: (tenantId, name) => attempts.similar(tenantId, name),
    roomHistory: async (tenantId, name) => {
      const { entries } = await log.page(tenantId, { subject: name, limit: 20 });
      return entries.filter(({ subject }) => subject?.kind === 'room').slice(0, MAX_COMMANDS);
    },
    findUser: (tenantId, text) => findUser(tenantId, text),
    findDeleted: async (tenantId, text) => {
      const tried = await log.tried(tenantId, text);
      const id = tried.find(({ type }) => type === 'user.delete')?.subject?.id;
      return id ? findDeleted(tenantId, id) : undefined;
    },
    holderOf: async (tenantId, { keys }) => {
      const names = namesIn(keys).slice(0, MAX_NAMES);
      const found = await Promise.all(names.map((name) => findUser(tenantId, name)));
      return found.find((one) => one?.deletedAt === null);
    },
    findRoom: async (tenantId, text) => {
      const id = parseRoomId(text);
      const found = await rooms.findOne({
        tenant: tenantId,
        ...(id ? { _id: id } : { 'folded.name': nameKey(text) }),
      });
      return found ? roomCodec.fromDocument(found) : undefined;
    },
    role: async (tenantId, userId) => {
      const [held, { entries }] = await Promise.all([
        rostersOf(tenantId, userId),
        log.page(tenantId, { touching: [userId], outcome: 'applied', limit: MAX_COMMANDS }),
      ]);
      const rosters = held.slice(0, MAX_ROSTERS);
      const subjects = [
        rolesSubject(null),
        ...rosters.flatMap(({ room, group }) => {
          const id = room?.id ?? group?.id;
          return id ? [rolesSubject(id)] : [];
        }),
      ];
      const [others, job] = await Promise.all([
        otherMappings(tenantId, held),
        jobs.findOne({ tenant: tenantId, subject: { $in: subjects } }, { projection: { _id: 1 } }),
      ]);
      return {
        rosters,
        isPartial: held.length > MAX_ROSTERS,
        others,
        isRecomputing: job !== null,
        commands: entries,
      };
    },
    room: async (tenantId, user, room) => {
      const ids = [user.id, room.id];
      const [group, namesake, membership, { entries }, refused] = await Promise.all([
        groups.findOne({ tenant: tenantId, roster: room.id }),
        groups.findOne({ tenant: tenantId, 'folded.displayName': nameKey(room.name) }),
        memberships.findOne({ _id: membershipIdOf(room.id, user.id), tenant: tenantId }),
        log.page(tenantId, { touching: ids, outcome: 'applied', limit: MAX_COMMANDS }),
        log.page(tenantId, { touching: [user.id], outcome: 'refused', limit: PAGE }),
      ]);
      const isUnmapped = !group && !membership;
      const own = isUnmapped ? await rostersOf(tenantId, user.id) : [];
      const roomless = own
        .flatMap((roster) => (roster.room || !roster.group ? [] : [roster.group]))
        .slice(0, MAX_COMMANDS);
      const similar = isUnmapped ? await attempts.similar(tenantId, room.name) : NOTHING_SIMILAR;
      const involved = [...roomless, ...similar.groups].map(({ id }) => id as string);
      return {
        pushed: await findPushed(
          tenantId,
          [group?._id ?? [], namesake?._id ?? [], involved].flat(),
        ),
        refused: (await attempts.stillRefused(tenantId, refused.entries)).slice(0, MAX_COMMANDS),
        deactivatedBy: user.profile.active ? null : await findDeactivation(tenantId, user.id),
        unmappedBy: group ? null : await findUnmapping(tenantId, room.id),
        ...{ roomless, similar },
        skippedBy: group && !membership ? await findSkipping(tenantId, group._id) : null,
        group: group && groupCodec.fromDocument(group),
        namesake: namesake && namesake.room !== room.id ? groupCodec.fromDocument(namesake) : null,
        membership: membership && membershipCodec.fromDocument(membership),
        former: membership ? null : await formerMembership(tenantId, user, room),
        addedBy: membership && (await addedBy(tenantId, ids, membership.addedAt)),
        commands: entries,
      };
    },
  });
};
