import type { CommandContext } from '../commands.js';
import { type Facts, type Effect, NO_EFFECT } from '../kernel/decider.js';
import type { ApplyToSmsList, Job, SmsMembersReport } from '../job/job.js';
import {
  applyPart,
  NO_STEP,
  SMS_PARTS,
  startJobOfParts,
  type Step,
  applyOrStartJob,
  startJob,
} from '../job/start-job.js';
import { type SmsList, type SmsEntry, type SmsMember, smsPageKey } from './sms-list.js';
import { smsMembersEvents, touchSmsList } from './sms-list-rules.js';

/** A member that is added (before is null), changed, or removed (after is null). */
export interface SmsMemberChange {
  readonly before: SmsMember | null;
  readonly after: SmsMember | null;
}

/** Changes the members and the count of their list. */
const applyChanges = (
  facts: Facts,
  listId: SmsList['id'],
  members: readonly SmsMemberChange[],
): Effect => {
  const list = facts.find('smsLists', 'id', listId);
  if (!list || members.length === 0) return NO_EFFECT;
  const by = members.reduce(
    (sum, { before, after }) => sum + Number(after !== null) - Number(before !== null),
    0,
  );
  return {
    changes: [
      ...members.map((change) => ({ table: 'smsMembers', ...change }) as const),
      touchSmsList(facts, list, { by }),
    ],
    events: [],
  };
};

const removalOf = (before: SmsMember) => ({ table: 'smsMembers', before, after: null }) as const;

const entryOf = ({ before, after }: SmsMemberChange): readonly SmsEntry[] => {
  const member = after ?? before;
  return member ? [{ memberId: member.id, after }] : [];
};

/** The changes that the entries make to the current members. */
const changesBy = (facts: Facts, entries: readonly SmsEntry[]): readonly SmsMemberChange[] => {
  facts.require(
    entries.map(({ memberId }) => ({ table: 'smsMembers', index: 'id', key: memberId }) as const),
  );
  return entries
    .map(({ memberId, after }) => ({
      before: facts.find('smsMembers', 'id', memberId) ?? null,
      after,
    }))
    .filter(({ before, after }) => before !== null || after !== null);
};

interface SmsMembersChange {
  readonly list: SmsList;
  readonly changes: readonly SmsMemberChange[];
  readonly report: SmsMembersReport;
}

/**
 * Changes members of a list: in this commit, or by a job if there are too many. The events come with
 * the last change, because only then does the list show what they report.
 */
export const changeSmsMembers = (
  facts: Facts,
  context: CommandContext,
  { list, changes, report }: SmsMembersChange,
): Effect =>
  applyOrStartJob(facts, {
    members: changes.length,
    inline: () => ({
      ...applyChanges(facts, list.id, changes),
      events: smsMembersEvents(list, report),
    }),
    start: () =>
      startJobOfParts(facts, context, {
        work: { kind: 'sms-list.apply', listId: list.id, report },
        table: SMS_PARTS,
        entries: changes.flatMap(entryOf),
      }),
    block: (job) => [touchSmsList(facts, list, { pendingJob: job.id })],
  });

/**
 * Removes the members of a deleted list: in this commit, or by a job if there are too many. Nothing
 * has to wait for the job: no request finds the list or its members any more.
 */
export const clearSmsList = (
  facts: Facts,
  context: CommandContext,
  { id: listId, memberCount: members }: SmsList,
): Effect =>
  applyOrStartJob(facts, {
    members,
    inline: () => ({
      changes: facts.list('smsMembers', 'list', listId).map(removalOf),
      events: [],
    }),
    start: () =>
      startJob(facts, context, {
        work: { kind: 'sms-list.clear', listId },
        cursor: '',
        total: members,
      }),
    block: () => [],
  });

/** Applies one part of the entries to the current members. The last part reports all of them. */
export const applySmsPart = (facts: Facts, job: Job, { listId, report }: ApplyToSmsList): Step => {
  const step = applyPart(facts, job, {
    table: SMS_PARTS,
    apply: (entries) => applyChanges(facts, listId, changesBy(facts, entries)),
  });
  const list = facts.find('smsLists', 'id', listId);
  if (step === NO_STEP || step.next !== null || !list) return step;
  return { ...step, effect: { ...step.effect, events: smsMembersEvents(list, report) } };
};

/** Always takes the first page: removed members are gone, so no cursor is needed. */
export const clearSmsPage = (facts: Facts, listId: SmsList['id']): Step => {
  const { stepSize } = facts.limits;
  const page = facts.list('smsMembers', 'first', smsPageKey({ listId, limit: stepSize }));
  return {
    effect: { changes: page.map(removalOf), events: [] },
    done: page.length,
    next: page.length < stepSize ? null : '',
  };
};

/** Lets other commands change the members again. */
export const unblockSmsList = (facts: Facts, { id, work }: Job): Effect => {
  if (work.kind !== 'sms-list.apply') return NO_EFFECT;
  const list = facts.find('smsLists', 'id', work.listId);
  return list?.pendingJob === id
    ? { changes: [touchSmsList(facts, list, { pendingJob: null })], events: [] }
    : NO_EFFECT;
};
