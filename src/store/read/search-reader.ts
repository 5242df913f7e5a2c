import type * as mongo from 'mongodb';
import type { CommandLogReader } from '../../ports/command-log.js';
import type { SearchReader, SearchResult } from '../../ports/tenants.js';
import { fold } from '../../domain/kernel/names.js';
import { parseUserId, type TenantId } from '../../domain/kernel/ids.js';
import { displayNameOf } from '../../domain/user/user.js';
import { guardRead } from '../database-errors.js';
import type { ApiKeyDocument } from '../tables/tenants.js';
import type { Collections } from '../tables/collections.js';
import { haveAllWords, MAX_WORD_LENGTH, wordsIn } from '../tables/name-words.js';
import { fromUserDocument, namesOfUser, USER_PROJECTION } from '../tables/users.js';

/** Of each kind. */
const MAX_OF_KIND = 6;
/** Read for a text of several words, to find those with all of them. */
const MAX_CANDIDATES = 100;
/** Time limit of a query. */
const MAX_TIME_MS = 500;
/** API keys of a tenant that are examined: their names have no index. */
const MAX_KEYS = 500;
/** Values of X-Request-Id (http/request-context.ts). */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
/** Later words of the names (tables/name-words.ts). */
const WORDS = 'folded.words';
/** Sorts after every other character. */
const LAST = '\u{10ffff}';

/** Texts that begin with this one, as a range of an index. */
const startsWith = (text: string) => ({ $gte: text, $lt: text + LAST });

interface Source<Document extends { readonly tenant: string }> {
  readonly collection: mongo.Collection<Document>;
  /** Indexed with the tenant. */
  readonly fields: readonly string[];
  /** The texts that the words are taken from. */
  readonly namesOf: (document: mongo.WithId<Document>) => readonly string[];
  readonly present: (document: mongo.WithId<Document>) => SearchResult;
}

/** Counts in words: "1 member", "12 members". */
const members = (count: number): string => (count === 1 ? '1 member' : `${count} members`);

/** Reads of ranges of indexes, and of ids; what they cost does not grow with the tenant. */
export const mongoSearchReader = (
  collections: Collections,
  log: Pick<CommandLogReader, 'page' | 'find'>,
): SearchReader => {
  const { users, rooms, groups, smsLists, roleMappings, apiKeys } = collections;

  /** Documents whose id is the text, or of which a name, or a later word of one, begins with it. */
  const search = async <Document extends { readonly tenant: string }>(
    { collection, fields, namesOf, present }: Source<Document>,
    tenantId: TenantId,
    text: string,
  ): Promise<readonly SearchResult[]> => {
    const find = (condition: object, options: object, limit = MAX_OF_KIND) =>
      collection
        .find({ tenant: tenantId, ...condition } as mongo.Filter<Document>, {
          maxTimeMS: MAX_TIME_MS,
          projection: USER_PROJECTION,
          ...options,
        })
        .limit(limit)
        .toArray();
    const readBeginnings = (beginning: string, limit?: number) => [
      ...fields.map((field) =>
        find({ [field]: startsWith(beginning) }, { sort: { [field]: 1 } }, limit),
      ),
      // An index of lists cannot sort, and is read in its order anyway.
      find(
        { [WORDS]: { $elemMatch: startsWith(beginning.slice(0, MAX_WORD_LENGTH)) } },
        { hint: { tenant: 1, [WORDS]: 1 } },
        limit,
      ),
    ];
    const byId = parseUserId(text) === undefined ? [] : [find({ _id: text }, {})];
    const words = wordsIn(text);
    const [longest = ''] = words.toSorted((one, other) => other.length - one.length);
    const [found, candidates] = await Promise.all([
      Promise.all([...byId, ...readBeginnings(text)]),
      Promise.all(words.length > 1 ? readBeginnings(longest, MAX_CANDIDATES) : []),
    ]);
    const withAllWords = candidates.flat().filter((one) => haveAllWords(namesOf(one), words));
    const unique = new Map(
      [...found.flat(), ...withAllWords].map((document) => [String(document._id), document]),
    );
    return [...unique.values()].slice(0, MAX_OF_KIND).map(present);
  };

  const findUsers = (tenantId: TenantId, text: string) =>
    search(
      {
        collection: users,
        fields: ['folded.label', 'folded.userName', 'folded.email'],
        namesOf: ({ profile }) => namesOfUser(profile),
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
    const words = wordsIn(text);
    const matches = ({ _id, prefix, description }: ApiKeyDocument): boolean =>
      _id === text ||
      fold(prefix).startsWith(text) ||
      fold(description).startsWith(text) ||
      haveAllWords([description], words);
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
              namesOf: ({ name }) => [name],
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
              namesOf: ({ displayName }) => [displayName],
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
              namesOf: ({ name }) => [name],
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
              namesOf: ({ groupDisplayName }) => [groupDisplayName],
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
