import { apiKeyIdOf } from '../kernel/actor.js';
import type {
  CommandContext,
  ReplaceSmsMembers,
  SmsMemberInput,
  SmsMemberCounts,
  SmsMemberResult,
  UpsertSmsMembers,
} from '../commands.js';
import {
  type Decider,
  type Accepted,
  type Facts,
  unchanged,
  combineInOrder,
} from '../kernel/decider.js';
import type { SmsMemberId } from '../kernel/ids.js';
import { each, mapped, type Chunked } from '../kernel/chunked.js';
import { raise, type RefusalDetail } from '../kernel/refusals.js';
import { isSmsWindow, type SmsList, endedSmsPageKey, type SmsMember } from './sms-list.js';
import type { Lookup } from '../tables.js';
import { changeSmsMembers, type SmsMemberChange } from './change-sms-members.js';
import {
  isSameTime,
  raiseSmsMemberNotFound,
  requireChangeableList,
  touchSmsList,
  WINDOW_ERROR,
} from './sms-list-rules.js';

const listLookup = ({ listId }: { readonly listId: SmsList['id'] }): Lookup => ({
  table: 'smsLists',
  index: 'id',
  key: listId,
});

const numberLookup = (key: string): Lookup => ({ table: 'smsMembers', index: 'number', key });

const memberLookup = (key: SmsMemberId): Lookup => ({ table: 'smsMembers', index: 'id', key });

const isSameMember = (one: SmsMember, other: SmsMember): boolean =>
  one.displayName === other.displayName &&
  isSameTime(one.validFrom, other.validFrom) &&
  isSameTime(one.validUntil, other.validUntil);

interface WantedMembers {
  readonly list: SmsList;
  /** The current member with this number's key. */
  readonly current: (key: string) => SmsMember | undefined;
  /** Whether omitted fields of a member stay, or are cleared. */
  readonly keepsOmitted: boolean;
  readonly command: Pick<UpsertSmsMembers, 'members' | 'wantsResults' | 'skipsInvalid'>;
}

const CLEARED = { displayName: null, validFrom: null, validUntil: null } as const;

const memberAfter = (
  facts: Facts,
  { list, keepsOmitted }: Pick<WantedMembers, 'list' | 'keepsOmitted'>,
  { given, before, place }: { given: SmsMemberInput; before?: SmsMember; place: number },
): SmsMember => {
  const omitted = keepsOmitted && before ? before : CLEARED;
  const { displayName, validFrom, validUntil } = given;
  return {
    id: before?.id ?? given.id,
    tenantId: list.tenantId,
    listId: list.id,
    number: before?.number ?? given.number,
    displayName: displayName === undefined ? omitted.displayName : displayName,
    validFrom: validFrom === undefined ? omitted.validFrom : validFrom,
    validUntil: validUntil === undefined ? omitted.validUntil : validUntil,
    place: before?.place ?? place,
    createdAt: before?.createdAt ?? facts.now,
  };
};

interface Difference {
  readonly changes: readonly SmsMemberChange[];
  readonly counts: SmsMemberCounts;
}

/**
 * Between the current and the wanted members. Unchanged members are not counted. Raises
 * INVALID_REQUEST for invalid windows.
 */
const differenceOf = function* (facts: Facts, wanted: WantedMembers): Chunked<Difference> {
  const changes: SmsMemberChange[] = [];
  const errors: RefusalDetail[] = [];
  const results: SmsMemberResult[] = [];
  const { members, wantsResults = false, skipsInvalid = false } = wanted.command;
  let added = 0;
  yield* each(members, (given, at) => {
    const before = wanted.current(given.number.key);
    const place = wanted.list.nextPlace + added;
    const after = memberAfter(facts, wanted, { given, place, ...(before && { before }) });
    if (!isSmsWindow(after)) {
      results.push('invalid');
      if (!skipsInvalid) errors.push({ path: `members[${at}].valid_until`, message: WINDOW_ERROR });
      return;
    }
    const isUnchanged = before !== undefined && isSameMember(before, after);
    results.push(isUnchanged ? 'unchanged' : before ? 'updated' : 'added');
    if (isUnchanged) return;
    if (!before) added += 1;
    changes.push({ before: before ?? null, after });
  });
  if (errors[0])
    raise(
      'INVALID_REQUEST',
      `${errors[0].path} ${WINDOW_ERROR}. Nothing was changed; see details.`,
      {
        details: errors.slice(0, 100),
      },
    );
  const counts = { added, updated: changes.length - added, removed: 0 };
  return { changes, counts: wantsResults ? { ...counts, results } : counts };
};

/** The counts are exact, whether or not a job is needed (decisions.md 6). */
const applyDifference = (
  facts: Facts,
  context: CommandContext,
  { list, changes, counts }: Pick<WantedMembers, 'list'> & Difference,
): Accepted<SmsMemberCounts> => {
  if (changes.length === 0) return unchanged(counts);
  const { added, updated, removed } = counts;
  const report = { added, updated, removed, apiKeyId: apiKeyIdOf(context.actor) };
  const effect = combineInOrder(facts, [
    (current) => ({
      changes: added > 0 ? [touchSmsList(current, list, { places: added })] : [],
      events: [],
    }),
    (current) => {
      const touched = current.find('smsLists', 'id', list.id) ?? list;
      return changeSmsMembers(current, context, { list: touched, changes, report });
    },
  ]);
  return { ...effect, result: counts };
};

/** More numbers than this are found by reading the list. */
const MAX_LOOKUPS = 1_000;

const membersLookups = ({ listId, members }: UpsertSmsMembers): readonly Lookup[] =>
  members.length > MAX_LOOKUPS
    ? [{ table: 'smsMembers', index: 'list', key: listId }]
    : members.map(({ number }) => numberLookup(number.key));

/** The members of a list by the keys of their numbers. */
const membersByKey = function* (
  facts: Facts,
  { listId }: UpsertSmsMembers | ReplaceSmsMembers,
): Chunked<Map<string, SmsMember>> {
  const byKey = new Map<string, SmsMember>();
  yield* each(facts.list('smsMembers', 'list', listId), (member) =>
    byKey.set(member.number.key, member),
  );
  return byKey;
};

export const upsertSmsMembers: Decider<'sms-member.upsert'> = {
  lookups: (command) => [listLookup(command), ...membersLookups(command)],
  decide: function* (envelope, facts) {
    const { command } = envelope;
    const list = requireChangeableList(facts, command);
    facts.require(membersLookups(command));
    const byKey =
      command.members.length > MAX_LOOKUPS ? yield* membersByKey(facts, command) : undefined;
    const current = (key: string) =>
      byKey ? byKey.get(key) : facts.find('smsMembers', 'number', key);
    const wanted = { list, command, current, keepsOmitted: true };
    const difference = yield* differenceOf(facts, wanted);
    return applyDifference(facts, envelope, { list, ...difference });
  },
};

const removalOf = (before: SmsMember): SmsMemberChange => ({ before, after: null });

export const replaceSmsMembers: Decider<'sms-member.replace'> = {
  lookups: (command) => [
    listLookup(command),
    { table: 'smsMembers', index: 'list', key: command.listId },
  ],
  decide: function* (envelope, facts) {
    const { command } = envelope;
    const list = requireChangeableList(facts, command);
    const byKey = yield* membersByKey(facts, command);
    const current = (key: string) => byKey.get(key);
    const wanted = { list, command, current, keepsOmitted: false };
    const difference = yield* differenceOf(facts, wanted);
    yield* each(command.members, ({ number }) => byKey.delete(number.key));
    const removed = yield* mapped(byKey.values(), removalOf);
    return applyDifference(facts, envelope, {
      list,
      changes: [...difference.changes, ...removed],
      counts: { ...difference.counts, removed: removed.length },
    });
  },
};

const removalsOf = (members: readonly SmsMember[]): Difference => ({
  changes: members.map(removalOf),
  counts: { added: 0, updated: 0, removed: members.length },
});

export const removeSmsMember: Decider<'sms-member.remove'> = {
  lookups: (command) => [listLookup(command), memberLookup(command.memberId)],
  decide: (envelope, facts) => {
    const { listId, memberId } = envelope.command;
    const list = requireChangeableList(facts, envelope.command);
    const member = facts.find('smsMembers', 'id', memberId);
    if (member?.listId !== listId) return raiseSmsMemberNotFound();
    const removal = applyDifference(facts, envelope, { list, ...removalsOf([member]) });
    return { ...removal, result: null };
  },
  recall: () => null,
};

export const removeSmsNumbers: Decider<'sms-member.remove-by-number'> = {
  lookups: (command) => [listLookup(command), ...command.keys.map(numberLookup)],
  decide: (envelope, facts) => {
    const list = requireChangeableList(facts, envelope.command);
    const keys = [...new Set(envelope.command.keys)];
    facts.require(keys.map(numberLookup));
    const members = keys.flatMap((key) => facts.find('smsMembers', 'number', key) ?? []);
    return applyDifference(facts, envelope, { list, ...removalsOf(members) });
  },
};

/** Removes as many members as one step of a job; the caller repeats it until none is left. */
export const sweepSmsMembers: Decider<'sms-member.sweep'> = {
  lookups: (command) => [listLookup(command)],
  decide: (envelope, facts) => {
    const { listId, endedBy } = envelope.command;
    const list = requireChangeableList(facts, envelope.command);
    const page = endedSmsPageKey({ listId, endedBy, limit: facts.limits.stepSize });
    const members = facts.list('smsMembers', 'ended', page);
    return applyDifference(facts, envelope, { list, ...removalsOf(members) });
  },
};
