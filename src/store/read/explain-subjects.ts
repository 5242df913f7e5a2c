import type { FoundUser } from '../../ports/command-log.js';
import { parseRoomId, parseUserId, type TenantId } from '../../domain/kernel/ids.js';
import { fold, nameKey } from '../../domain/kernel/names.js';
import { userNameKey } from '../../domain/user/user.js';
import { namesIn } from '../../pipeline/log/log-keys.js';
import { fromUserDocument } from '../tables/users.js';
import { type ExplainParts, type ExplainReads, lastEntry } from './explain-history.js';

/** Of a refused user: the user name and the e-mail address. */
const MAX_NAMES = 2;
/** Commands that created, renamed or deleted a room. */
const MAX_COMMANDS = 5;

const findDeleted = async (
  parts: ExplainParts,
  tenant: TenantId,
  id: string,
): Promise<FoundUser | undefined> => {
  const [found, deletedBy] = await Promise.all([
    parts.collections.deletedUsers.findOne({ _id: id, tenant }),
    lastEntry(parts, tenant, { subject: id, type: 'user.delete' }),
  ]);
  if (!found) return undefined;
  const user = fromUserDocument(found);
  return { user, deletedAt: found.departedAt, deletedBy: deletedBy ?? undefined };
};

/** Names of deleted users are indexed only by the log. */
const findDeletedByName = async (parts: ExplainParts, tenantId: TenantId, name: string) => {
  const { entries } = await parts.log.page(tenantId, { subject: name, limit: 10 });
  const id = entries.find(({ subject }) => subject?.kind === 'user' && subject.id)?.subject?.id;
  return id ? findDeleted(parts, tenantId, id) : undefined;
};

const findUser: ExplainReads['findUser'] = async (parts, tenantId, text) => {
  const { users } = parts.entities;
  const id = parseUserId(text);
  const name = fold(text);
  // Alternatives in one query would not use their indexes, which are partial.
  const found = await Promise.all([
    // A user name may be a UUID too: ids take precedence.
    ...(id ? [users.one(tenantId, { _id: id })] : []),
    users.one(tenantId, { 'folded.userName': name }),
    users.one(tenantId, { 'folded.email': name }),
  ]);
  const user = found.find((one) => one !== undefined);
  if (user) return { user, deletedAt: null };
  return id ? findDeleted(parts, tenantId, id) : findDeletedByName(parts, tenantId, text);
};

/** Finding what is explained: a user or room, or the log's traces of one that does not exist. */
export const SUBJECT_READS: Omit<ExplainReads, 'similar' | 'role' | 'room'> = {
  findUser,
  findDeleted: async (parts, tenantId, text) => {
    const tried = await parts.log.tried(tenantId, text);
    const id = tried.find(({ type }) => type === 'user.delete')?.subject?.id;
    return id ? findDeleted(parts, tenantId, id) : undefined;
  },
  holderOf: async (parts, tenantId, { keys }) => {
    const names = namesIn(keys).slice(0, MAX_NAMES);
    const found = await Promise.all(names.map((name) => findUser(parts, tenantId, name)));
    return found.find((one) => one?.deletedAt === null);
  },
  findRoom: ({ entities }, tenantId, text) => {
    const id = parseRoomId(text);
    return entities.rooms.one(tenantId, id ? { _id: id } : { 'folded.name': nameKey(text) });
  },
  roomHistory: async ({ log }, tenantId, name) => {
    const { entries } = await log.page(tenantId, { subject: name, limit: 20 });
    return entries.filter(({ subject }) => subject?.kind === 'room').slice(0, MAX_COMMANDS);
  },
  refusedUsers: async ({ log }, tenantId, text) => {
    const tried = await log.tried(tenantId, text);
    return tried.filter(({ type }) => type === 'user.create');
  },
  missingUsers: async ({ entities, log }, tenantId, code) => {
    const query = { outcome: 'refused', type: 'user.create', limit: 100 } as const;
    const { entries } = await log.page(tenantId, query);
    const names = new Map(
      entries.flatMap(({ subject, refusal }) =>
        refusal?.code === code && subject?.name ? [[fold(subject.name), subject.name]] : [],
      ),
    );
    const created = { 'folded.userName': { $in: [...names.keys()] } };
    for (const user of await entities.users.all(tenantId, created)) names.delete(userNameKey(user));
    return [...names.values()];
  },
};
