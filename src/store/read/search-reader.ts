import type * as mongo from 'mongodb';
import type { CommandLogReader } from '../../ports/command-log.js';
import type { SearchReader, SearchResult } from '../../ports/tenants.js';
import { fold } from '../../domain/kernel/names.js';
import { isRequestId, parseUserId, type TenantId } from '../../domain/kernel/ids.js';
import { displayNameOf } from '../../domain/user/user.js';
import { timeInWords, capitalise } from '../../domain/kernel/in-words.js';
import { taskOf } from '../../pipeline/log/describe-entry.js';
import { guarded } from '../database-errors.js';
import { startsWith } from './similar-names.js';
import type { ApiKeyDocument } from '../tables/tenants.js';
import type { Collections } from '../tables/collections.js';
import { haveAllWords, MAX_WORD_LENGTH, wordsIn } from '../../domain/kernel/name-words.js';
import { fromUserDocument, namesOfUser, USER_PROJECTION } from '../tables/users.js';

/** Of each kind. */
const MAX_OF_KIND = 6;
/** Read for a text of several words, to find those with all of them. */
const MAX_CANDIDATES = 100;
/** Time limit of a query. */
const MAX_TIME_MS = 500;
/** API keys of a tenant that are examined: their names have no index. */
const KEYS_AT_ONCE = 500;
/** Later words of the names (name-words.ts). */
const WORDS = 'folded.words';
interface Source<Document extends { readonly tenant: string }> {
  readonly collection: mongo.Collection<Document>;
  /** Indexed with the tenant. */
  readonly fields: readonly string[];
  /** The texts that the words are taken from. */
  readonly namesOf: (document: mongo.WithId<Document>) => readonly string[];
  readonly present: (document: mongo.WithId<Document>) => SearchResult;
}

type Find = (
  tenantId: TenantId,
  /** The text as it was given, and folded; results at most. */
  wanted: { readonly given: string; readonly text: string; readonly max: number },
) => Promise<readonly SearchResult[]>;

/** Counts in words: "1 member", "12 members". */
const members = (count: number): string => (count === 1 ? '1 member' : `${count} members`);

/** Reads of ranges of indexes, and of ids; what they cost does not grow with the tenant. */
export const mongoSearchReader = (
  collections: Collections,
  log: Pick<CommandLogReader, 'page' | 'find' | 'tried'>,
): SearchReader => {
  const { users, rooms, groups, smsLists, roleMappings, apiKeys } = collections;

  /** Documents whose id is the text, or of which a name, or a later word of one, begins with it. */
  const search = async <Document extends { readonly tenant: string }>(
    { collection, fields, namesOf, present }: Source<Document>,
    tenantId: TenantId,
    text: string,
    max: number,
  ): Promise<readonly SearchResult[]> => {
    const find = (condition: object, options: object, limit = max) =>
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
      Promise.all(words.length > 1 ? readBeginnings(longest, Math.max(max, MAX_CANDIDATES)) : []),
    ]);
    const withAllWords = candidates.flat().filter((one) => haveAllWords(namesOf(one), words));
    const unique = new Map(
      [...found.flat(), ...withAllWords].map((document) => [String(document._id), document]),
    );
    return [...unique.values()].slice(0, max).map(present);
  };

  const findUsers: Find = async (tenantId, { text, given, max }) => {
    const byName = await search(
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
      max,
    );
    return [...byName, ...(await findByExternalId(tenantId, given, max))];
  };

  /** External ids are case-sensitive. */
  const findByExternalId = async (tenantId: TenantId, text: string, max: number) => {
    const found = await users
      .find(
        { tenant: tenantId, 'profile.externalId': text },
        { maxTimeMS: MAX_TIME_MS, projection: USER_PROJECTION },
      )
      .limit(max)
      .toArray();
    return found.map(({ _id, profile }): SearchResult => {
      const subtitle = `External id ${text}`;
      return { kind: 'user', id: _id, title: displayNameOf(profile), subtitle };
    });
  };

  const findKeys: Find = async (tenantId, { text, max }) => {
    const all = await apiKeys
      .find({ tenant: tenantId }, { maxTimeMS: MAX_TIME_MS, batchSize: KEYS_AT_ONCE })
      .sort({ createdAt: -1, _id: -1 })
      .toArray();
    const words = wordsIn(text);
    const matches = ({ _id, prefix, description }: ApiKeyDocument): boolean =>
      _id === text ||
      fold(prefix).startsWith(text) ||
      fold(description).startsWith(text) ||
      haveAllWords([description], words);
    return all
      .filter(matches)
      .slice(0, max)
      .map(({ _id, description, prefix }) => ({
        kind: 'api_key',
        id: _id,
        title: description,
        subtitle: `${prefix}…`,
      }));
  };

  /** By id or request id, and refused ones by the name of what they would have created. */
  const findCommands: Find = async (tenantId, { text, given, max }) => {
    const isId = isRequestId(given);
    const [byId, { entries }, tried] = await Promise.all([
      isId ? log.find(tenantId, given) : undefined,
      isId ? log.page(tenantId, { requestId: given, limit: max }) : { entries: [] },
      log.tried(tenantId, text),
    ]);
    return [...(byId ? [byId] : []), ...entries, ...tried].slice(0, max).map((entry) => ({
      kind: 'command',
      id: entry.id,
      title: capitalise(taskOf(entry)),
      subtitle: `${capitalise(entry.outcome)} on ${timeInWords(entry.at)}${
        entry.refusal ? ` (${entry.refusal.code})` : ''
      }`,
    }));
  };

  /** Of collections whose documents are found by one name. */
  const byName =
    <Document extends { readonly tenant: string }>(
      collection: mongo.Collection<Document>,
      field: string,
      nameOf: (document: mongo.WithId<Document>) => string,
      present: (document: mongo.WithId<Document>) => Omit<SearchResult, 'id' | 'title'>,
    ): Find =>
    (tenantId, { text, max }) => {
      const source: Source<Document> = {
        collection,
        fields: [field],
        namesOf: (document) => [nameOf(document)],
        present: (document) => ({
          ...present(document),
          id: String(document._id),
          title: nameOf(document),
        }),
      };
      return search(source, tenantId, text, max);
    };

  const FINDERS: Readonly<Record<string, Find>> = {
    user: findUsers,
    room: byName(
      rooms,
      'folded.name',
      ({ name }) => name,
      ({ memberCount }) => ({ kind: 'room', subtitle: members(memberCount) }),
    ),
    group: byName(
      groups,
      'folded.displayName',
      ({ displayName }) => displayName,
      ({ room, memberCount }) => ({
        kind: 'group',
        subtitle: `${room === null ? 'No room' : 'With a room'}, ${members(memberCount)}`,
      }),
    ),
    sms_list: byName(
      smsLists,
      'folded.name',
      ({ name }) => name,
      ({ memberCount }) => ({ kind: 'sms_list', subtitle: members(memberCount) }),
    ),
    role_mapping: byName(
      roleMappings,
      'folded.groupDisplayName',
      ({ groupDisplayName }) => groupDisplayName,
      ({ role, priority }) => ({
        kind: 'role_mapping',
        subtitle: `Role ${role}, priority ${priority}`,
      }),
    ),
    api_key: findKeys,
    command: findCommands,
  };

  return guarded<SearchReader>({
    find: async (
      tenantId,
      given,
      { kinds = Object.keys(FINDERS), limit: max = MAX_OF_KIND } = {},
    ) => {
      const wanted = { given, text: fold(given), max };
      const finders = kinds.flatMap((kind) => FINDERS[kind] ?? []);
      const found = await Promise.all(finders.map((find) => find(tenantId, wanted)));
      return found.flat();
    },
  });
};
