import type { mongo } from 'mongoose';
import type { CommandLogReader } from '../../api/command-log.js';
import type { SearchReader, SearchResult } from '../../api/search.js';
import { fold } from '../../domain/kernel/fold.js';
import { parseUserId, type TenantId } from '../../domain/kernel/ids.js';
import { displayNameOf } from '../../domain/user/user.js';
import { guardRead } from '../database-errors.js';
import type { ApiKeyDocument } from '../tables/api-keys.js';
import type { Collections } from '../tables/collections.js';
import { fromUserDocument, USER_PROJECTION } from '../tables/users.js';

/** Of each kind. */
const MAX_OF_KIND = 6;
/** Time limit of a query. */
const MAX_TIME_MS = 500;
/** API keys of a tenant that are examined: their names have no index. */
const MAX_KEYS = 500;
/** Values of X-Request-Id (http/request-context.ts). */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
/** Sorts after every other character. */
const LAST = '\u{10ffff}';

/** Texts that begin with this one, as a range of an index. */
const startsWith = (text: string) => ({ $gte: text, $lt: text + LAST });

interface Source<Document extends { readonly tenant: string }> {
  readonly collection: mongo.Collection<Document>;
  /** Indexed with the tenant. */
  readonly fields: readonly string[];
  readonly present: (document: mongo.WithId<Document>) => SearchResult;
}

/** Counts in words: "1 member", "12 members". */
const members = (count: number): string => (count === 1 ? '1 member' : `${count} members`);

/** Reads of indexes by prefix, and of ids; what they cost does not grow with the tenant. */
export const mongoSearchReader = (
  collections: Collections,
  log: Pick<CommandLogReader, 'page' | 'find'>,
): SearchReader => {
  const { users, rooms, groups, smsLists, roleMappings, apiKeys } = collections;

  /** Documents of which a field begins with the text, in the order of that field. */
  const search = async <Document extends { readonly tenant: string }>(
    { collection, fields, present }: Source<Document>,
    tenantId: TenantId,
    text: string,
  ): Promise<readonly SearchResult[]> => {
    const read = (field: string, condition: unknown) =>
      collection
        .find({ tenant: tenantId, [field]: condition } as unknown as mongo.Filter<Document>, {
          maxTimeMS: MAX_TIME_MS,
          projection: USER_PROJECTION,
        })
        .sort(field === '_id' ? {} : { [field]: 1 })
        .limit(MAX_OF_KIND)
        .toArray();
    const byId = parseUserId(text) === undefined ? [] : [read('_id', text)];
    const found = (
      await Promise.all([...byId, ...fields.map((field) => read(field, startsWith(text)))])
    ).flat();
    const unique = new Map(found.map((document) => [String(document._id), document]));
    return [...unique.values()].slice(0, MAX_OF_KIND).map(present);
  };

  const findUsers = (tenantId: TenantId, text: string) =>
    search(
      {
        collection: users,
        fields: ['folded.label', 'folded.userName', 'folded.email'],
        present: (document) => {
          const user = fromUserDocument(document);
          const name = user.email ?? user.profile.userName;
          return {
            kind: 'user',
            id: user.id,
            title: displayNameOf(user.profile),
            subtitle: user.profile.active ? name : `${name}, deactivated`,
          };
        },
      },
      tenantId,
      text,
    );

  /** External ids are case-sensitive. */
  const findByExternalId = async (tenantId: TenantId, text: string) => {
    const found = await users
      .find(
        { tenant: tenantId, 'profile.externalId': text },
        { maxTimeMS: MAX_TIME_MS, projection: USER_PROJECTION },
      )
      .limit(MAX_OF_KIND)
      .toArray();
    return found.map(({ _id, profile }): SearchResult => {
      const subtitle = `External id ${text}`;
      return { kind: 'user', id: _id, title: displayNameOf(profile), subtitle };
    });
  };

  const findKeys = async (tenantId: TenantId, text: string): Promise<readonly SearchResult[]> => {
    const all = await apiKeys
      .find({ tenant: tenantId }, { maxTimeMS: MAX_TIME_MS, batchSize: MAX_KEYS })
      .sort({ createdAt: -1, _id: -1 })
      .limit(MAX_KEYS)
      .toArray();
    const matches = ({ _id, prefix, description }: ApiKeyDocument): boolean =>
      _id === text || fold(prefix).startsWith(text) || fold(description).startsWith(text);
    return all
      .filter(matches)
      .slice(0, MAX_OF_KIND)
      .map(({ _id, description, prefix }) => ({
        kind: 'api_key',
        id: _id,
        title: description,
        subtitle: `${prefix}…`,
      }));
  };

  const findCommands = async (
    tenantId: TenantId,
    text: string,
  ): Promise<readonly SearchResult[]> => {
    if (!REQUEST_ID.test(text)) return [];
    const [byId, { entries }] = await Promise.all([
      log.find(tenantId, text),
      log.page(tenantId, { requestId: text, limit: MAX_OF_KIND }),
    ]);
    return [...(byId ? [byId] : []), ...entries].map(({ id, type, outcome, at, subject }) => ({
      kind: 'command',
      id,
      title: [type, subject?.name].filter(Boolean).join(' '),
      subtitle: `${outcome}, ${at.toISOString()}`,
    }));
  };

  return {
    find: (tenantId, given) =>
      guardRead(async () => {
        const text = fold(given);
        const found = await Promise.all([
          findUsers(tenantId, text),
          findByExternalId(tenantId, given),
          search(
            {
              collection: rooms,
              fields: ['folded.name'],
              present: ({ _id, name, memberCount }) => ({
                kind: 'room',
                id: _id,
                title: name,
                subtitle: members(memberCount),
              }),
            },
            tenantId,
            text,
          ),
          search(
            {
              collection: groups,
              fields: ['folded.displayName'],
              present: ({ _id, displayName, room, memberCount }) => ({
                kind: 'group',
                id: _id,
                title: displayName,
                subtitle: `${room === null ? 'No room' : 'With a room'}, ${members(memberCount)}`,
              }),
            },
            tenantId,
            text,
          ),
          search(
            {
              collection: smsLists,
              fields: ['folded.name'],
              present: ({ _id, name, memberCount }) => ({
                kind: 'sms_list',
                id: _id,
                title: name,
                subtitle: members(memberCount),
              }),
            },
            tenantId,
            text,
          ),
          search(
            {
              collection: roleMappings,
              fields: ['folded.groupDisplayName'],
              present: ({ _id, groupDisplayName, role, priority }) => ({
                kind: 'role_mapping',
                id: _id,
                title: groupDisplayName,
                subtitle: `Role ${role}, priority ${priority}`,
              }),
            },
            tenantId,
            text,
          ),
          findKeys(tenantId, text),
          findCommands(tenantId, given),
        ]);
        return found.flat();
      }),
  };
};
