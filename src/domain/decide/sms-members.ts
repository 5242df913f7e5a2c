import { apiKeyIdOf } from '../actor.js';
import type { GivenSmsMember, MemberCounts } from '../commands.js';
import type { SmsMemberId } from '../ids.js';
import { each, mapped, type Pieces } from '../in-pieces.js';
import { type Refusal, refuse, type RefusalDetail } from '../refusals.js';
import type { SmsList } from '../sms-list.js';
import { endedSmsPageKey, type SmsMember } from '../sms-member.js';
import { isSmsWindow } from '../sms-window.js';
import type { Need } from '../tables.js';
import type { Asker } from './begin-job.js';
import type { Decider, Decision, Facts } from './decider.js';
import { inOrder } from './effect.js';
import { changeSmsMembers, type SmsMemberChange } from './sms-large-change.js';
import { noSuchSmsMember, openSmsList, touchSmsList, WINDOW_FAULT } from './sms-list-steps.js';
import { unchanged } from './user-steps.js';

const listNeed = ({ listId }: { readonly listId: SmsList['id'] }): Need => ({
  table: 'smsLists',
  index: 'id',
  key: listId,
});

const numberNeed = (key: string): Need => ({ table: 'smsMembers', index: 'number', key });

const isSameTime = (one: Date | null, other: Date | null): boolean =>
  one?.getTime() === other?.getTime();

const isSameMember = (one: SmsMember, other: SmsMember): boolean =>
  one.displayName === other.displayName &&
  isSameTime(one.validFrom, other.validFrom) &&
  isSameTime(one.validUntil, other.validUntil);

interface Wish {
  readonly list: SmsList;
  readonly given: readonly GivenSmsMember[];
  /** What stands on the list, by the key of its number. */
  readonly held: (key: string) => SmsMember | undefined;
  /** Whether what a member does not say stays as it is, or is cleared. */
  readonly keepsUnsaid: boolean;
}

const memberAfter = (
  facts: Facts,
  { list, keepsUnsaid }: Pick<Wish, 'list' | 'keepsUnsaid'>,
  { given, before, place }: { given: GivenSmsMember; before?: SmsMember; place: number },
): SmsMember => {
  const unsaid = keepsUnsaid && before ? before : UNSAID;
  const { displayName, validFrom, validUntil } = given;
  return {
    id: before?.id ?? given.id,
    tenantId: list.tenantId,
    listId: list.id,
    number: before?.number ?? given.number,
    displayName: displayName === undefined ? unsaid.displayName : displayName,
    validFrom: validFrom === undefined ? unsaid.validFrom : validFrom,
    validUntil: validUntil === undefined ? unsaid.validUntil : validUntil,
    place: before?.place ?? place,
    createdAt: before?.createdAt ?? facts.now,
  };
};

const UNSAID = { displayName: null, validFrom: null, validUntil: null } as const;

/** What a request comes to. */
interface Difference {
  readonly changes: readonly SmsMemberChange[];
  readonly counts: MemberCounts;
  readonly faults: readonly RefusalDetail[];
}

/** Who stays as he was is in no change and counts nowhere. */
const differenceOf = function* (facts: Facts, wish: Wish): Pieces<Difference> {
  const changes: SmsMemberChange[] = [];
  const faults: RefusalDetail[] = [];
  let added = 0;
  yield* each(wish.given, (given, at) => {
    const before = wish.held(given.number.key);
    const place = wish.list.nextPlace + added;
    const after = memberAfter(facts, wish, { given, place, ...(before && { before }) });
    if (!isSmsWindow(after))
      faults.push({ path: `members[${at}].valid_until`, message: WINDOW_FAULT });
    if (before && isSameMember(before, after)) return;
    if (!before) added += 1;
    changes.push({ before: before ?? null, after });
  });
  return { changes, faults, counts: { added, updated: changes.length - added, removed: 0 } };
};

const refuseWindows = (faults: readonly RefusalDetail[]): { readonly refusal: Refusal } => ({
  refusal: refuse(
    'INVALID_REQUEST',
    `${faults[0]?.path} ${WINDOW_FAULT}. Nothing was changed; see details.`,
    { details: faults.slice(0, 100) },
  ),
});

/** The counts are exact, whether it is done at once or by a job (decisions.md 6). */
const carryOut = (
  facts: Facts,
  asked: Asker,
  { list, changes, counts }: Pick<Wish, 'list'> & Omit<Difference, 'faults'>,
): Decision<MemberCounts> => {
  if (changes.length === 0) return unchanged(counts);
  const { added } = counts;
  const report = { ...counts, apiKeyId: apiKeyIdOf(asked.actor) };
  const effect = inOrder(facts, [
    (now) => ({
      changes: added > 0 ? [touchSmsList(now, list, { places: added })] : [],
      events: [],
    }),
    (now) => {
      const touched = now.find('smsLists', 'id', list.id) ?? list;
      return changeSmsMembers(now, asked, { list: touched, changes, report });
    },
  ]);
  return { ...effect, result: counts };
};

export const upsertSmsMembers: Decider<'sms-member.upsert'> = {
  needs: (command) => [
    listNeed(command),
    ...command.members.map(({ number }) => numberNeed(number.key)),
  ],
  decide: function* (envelope, facts) {
    const opened = openSmsList(facts, envelope.command);
    if ('refusal' in opened) return opened;
    const { members: given } = envelope.command;
    facts.require(given.map(({ number }) => numberNeed(number.key)));
    const held = (key: string) => facts.find('smsMembers', 'number', key);
    const wish = { ...opened, given, held, keepsUnsaid: true };
    const { faults, ...rest } = yield* differenceOf(facts, wish);
    return faults.length > 0
      ? refuseWindows(faults)
      : carryOut(facts, envelope, { ...opened, ...rest });
  },
};

const leaving = (before: SmsMember): SmsMemberChange => ({ before, after: null });

export const replaceSmsMembers: Decider<'sms-member.replace'> = {
  needs: (command) => [
    listNeed(command),
    { table: 'smsMembers', index: 'list', key: command.listId },
  ],
  decide: function* (envelope, facts) {
    const { listId, members: given } = envelope.command;
    const opened = openSmsList(facts, envelope.command);
    if ('refusal' in opened) return opened;
    const byKey = new Map<string, SmsMember>();
    yield* each(facts.list('smsMembers', 'list', listId), (member) =>
      byKey.set(member.number.key, member),
    );
    const held = (key: string) => byKey.get(key);
    const wish = { ...opened, given, held, keepsUnsaid: false };
    const difference = yield* differenceOf(facts, wish);
    if (difference.faults.length > 0) return refuseWindows(difference.faults);
    yield* each(given, ({ number }) => byKey.delete(number.key));
    const removed = yield* mapped(byKey.values(), leaving);
    return carryOut(facts, envelope, {
      ...opened,
      changes: [...difference.changes, ...removed],
      counts: { ...difference.counts, removed: removed.length },
    });
  },
};

const removal = (members: readonly SmsMember[]): Omit<Difference, 'faults'> => ({
  changes: members.map(leaving),
  counts: { added: 0, updated: 0, removed: members.length },
});

const memberNeed = (key: SmsMemberId): Need => ({ table: 'smsMembers', index: 'id', key });

export const removeSmsMember: Decider<'sms-member.remove'> = {
  needs: (command) => [listNeed(command), memberNeed(command.memberId)],
  decide: (envelope, facts) => {
    const { listId, memberId } = envelope.command;
    const opened = openSmsList(facts, envelope.command);
    if ('refusal' in opened) return opened;
    const member = facts.find('smsMembers', 'id', memberId);
    if (member?.listId !== listId) return noSuchSmsMember();
    const done = carryOut(facts, envelope, { ...opened, ...removal([member]) });
    return { ...done, result: null };
  },
  recall: () => null,
};

export const removeSmsNumbers: Decider<'sms-member.remove-by-number'> = {
  needs: (command) => [listNeed(command), ...command.keys.map(numberNeed)],
  decide: (envelope, facts) => {
    const opened = openSmsList(facts, envelope.command);
    if ('refusal' in opened) return opened;
    const keys = [...new Set(envelope.command.keys)];
    facts.require(keys.map(numberNeed));
    const members = keys.flatMap((key) => facts.find('smsMembers', 'number', key) ?? []);
    return carryOut(facts, envelope, { ...opened, ...removal(members) });
  },
};

/** As many as fit into a commit: whoever asks, asks until there are none. */
export const sweepSmsMembers: Decider<'sms-member.sweep'> = {
  needs: (command) => [listNeed(command)],
  decide: (envelope, facts) => {
    const { listId, endedBy } = envelope.command;
    const opened = openSmsList(facts, envelope.command);
    if ('refusal' in opened) return opened;
    const page = endedSmsPageKey({ listId, endedBy, limit: facts.limits.stepSize });
    const members = facts.list('smsMembers', 'ended', page);
    return carryOut(facts, envelope, { ...opened, ...removal(members) });
  },
};
