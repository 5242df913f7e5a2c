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
import type { Collections } from '../tables/collections.js';
import { haveAllWords, MAX_WORD_LENGTH, wordsIn } from '../../domain/kernel/name-words.js';
import { namesOfUser, USER_PROJECTION, type UserDocument } from '../tables/users.js';

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

type Result = Omit<SearchResult, 'kind'>;

interface OfTenant {
  readonly _id: string;
  readonly tenant: string;
}

interface Source<Document extends OfTenant> {
  readonly collection: mongo.Collection<Document>;
  /** Indexed with the tenant. */
  readonly fields: readonly string[];
  /** The texts that the words are taken from. */
  readonly namesOf: (document: Document) => readonly string[];
  readonly present: (document: Document) => Result;
}

/** The text as it was given, and folded; results at most. */
interface Wanted {
  readonly given: string;
  readonly text: string;
  readonly max: number;
}

type Find = (tenantId: TenantId, wanted: Wanted) => Promise<readonly Result[]>;

/** Counts in words: "1 member", "12 members". */
const members = ({ memberCount: count }: { readonly memberCount: number }): string =>
  count === 1 ? '1 member' : `${count} members`;

/** Documents whose id is the text, or of which a name, or a later word of one, begins with it. */
const search = async <Document extends OfTenant>(
  { collection, fields, namesOf, present }: Source<Document>,
  tenant: TenantId,
  { text, max }: Wanted,
): Promise<readonly Result[]> => {
  const find = async (condition: object, options: object, limit = max) => {
    const found = await collection
      .find({ tenant, ...condition } as mongo.Filter<Document>, {
        ...{ maxTimeMS: MAX_TIME_MS, projection: USER_PROJECTION },
        ...options,
      })
      .limit(limit)
      .toArray();
    return found as readonly Document[];
  };
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
  const unique = new Map([...found.flat(), ...withAllWords].map((one) => [one._id, one]));
  return [...unique.values()].slice(0, max).map(present);
};

/** Of collections whose documents are found by one name, in this field. */
const byName =
  <Name extends string, Document extends OfTenant & Readonly<Record<Name, string>>>(
    collection: mongo.Collection<Document>,
    name: Name,
    subtitleOf: (document: Document) => string,
  ): Find =>
  (tenantId, wanted) =>
    search(
      {
        collection,
        fields: [`folded.${name}`],
        namesOf: (document) => [document[name]],
        present: (one) => ({ id: one._id, title: one[name], subtitle: subtitleOf(one) }),
      },
      tenantId,
      wanted,
    );

/** External ids are case-sensitive. */
const findByExternalId = async (
  { users }: Collections,
  tenant: TenantId,
  { given, max }: Wanted,
): Promise<readonly Result[]> => {
  const found = await users
    .find(
      { tenant, 'profile.externalId': given },
      { maxTimeMS: MAX_TIME_MS, projection: USER_PROJECTION },
    )
    .limit(max)
    .toArray();
  const subtitle = `External id ${given}`;
  return found.map(({ _id, profile }) => ({ id: _id, title: displayNameOf(profile), subtitle }));
};

const findUsers = async (
  collections: Collections,
  tenantId: TenantId,
  wanted: Wanted,
): Promise<readonly Result[]> => {
  const source: Source<UserDocument> = {
    collection: collections.users,
    fields: ['folded.label', 'folded.userName', 'folded.email'],
    namesOf: ({ profile }) => namesOfUser(profile),
    present: ({ _id: id, email, profile }) => {
      const name = email ?? profile.userName;
      const subtitle = profile.active ? name : `${name}, deactivated`;
      return { id, title: displayNameOf(profile), subtitle };
    },
  };
  const byName = await search(source, tenantId, wanted);
  return [...byName, ...(await findByExternalId(collections, tenantId, wanted))];
};

const findKeys = async (
  { apiKeys }: Collections,
  tenant: TenantId,
  { text, max }: Wanted,
): Promise<readonly Result[]> => {
  const all = await apiKeys
    .find({ tenant }, { maxTimeMS: MAX_TIME_MS, batchSize: KEYS_AT_ONCE })
    .sort({ createdAt: -1, _id: -1 })
    .toArray();
  const words = wordsIn(text);
  const matching = all.filter(
    ({ _id, prefix, description }) =>
      _id === text ||
      fold(prefix).startsWith(text) ||
      fold(description).startsWith(text) ||
      haveAllWords([description], words),
  );
  return matching.slice(0, max).map(({ _id, description, prefix }) => ({
    id: _id,
    title: description,
    subtitle: `${prefix}…`,
  }));
};

type SearchedLog = Pick<CommandLogReader, 'page' | 'find' | 'tried'>;

/** By id or request id, and refused ones by the name of what they would have created. */
const findCommands = async (
  log: SearchedLog,
  tenantId: TenantId,
  { text, given, max }: Wanted,
): Promise<readonly Result[]> => {
  const isId = isRequestId(given);
  const [byId, { entries }, tried] = await Promise.all([
    isId ? log.find(tenantId, given) : undefined,
    isId ? log.page(tenantId, { requestId: given, limit: max }) : { entries: [] },
    log.tried(tenantId, text),
  ]);
  return [...(byId ? [byId] : []), ...entries, ...tried].slice(0, max).map((entry) => ({
    id: entry.id,
    title: capitalise(taskOf(entry)),
    subtitle: `${capitalise(entry.outcome)} on ${timeInWords(entry.at)}${
      entry.refusal ? ` (${entry.refusal.code})` : ''
    }`,
  }));
};

/** By kind of result. */
const findersOf = (collections: Collections, log: SearchedLog): Readonly<Record<string, Find>> => ({
  user: (tenantId, wanted) => findUsers(collections, tenantId, wanted),
  room: byName(collections.rooms, 'name', members),
  group: byName(collections.groups, 'displayName', (group) => {
    const room = group.room === null ? 'No room' : 'With a room';
    return `${room}, ${members(group)}`;
  }),
  sms_list: byName(collections.smsLists, 'name', members),
  role_mapping: byName(
    collections.roleMappings,
    'groupDisplayName',
    ({ role, priority }) => `Role ${role}, priority ${priority}`,
  ),
  api_key: (tenantId, wanted) => findKeys(collections, tenantId, wanted),
  command: (tenantId, wanted) => findCommands(log, tenantId, wanted),
});

/** Reads of ranges of indexes, and of ids; what they cost does not grow with the tenant. */
export const mongoSearchReader = (collections: Collections, log: SearchedLog): SearchReader => {
  const finders = findersOf(collections, log);
  return guarded<SearchReader>({
    find: async (tenantId, given, options = {}) => {
      const { kinds = Object.keys(finders), limit: max = MAX_OF_KIND } = options;
      const wanted = { given, text: fold(given), max };
      const found = await Promise.all(
        kinds.map(async (kind) => {
          const results = (await finders[kind]?.(tenantId, wanted)) ?? [];
          return results.map((result) => ({ kind, ...result }));
        }),
      );
      return found.flat();
    },
  });
};
