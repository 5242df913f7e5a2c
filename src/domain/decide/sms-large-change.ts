import type { ApplyToSmsList, Job, SmsMembersReport } from '../job.js';
import type { SmsList } from '../sms-list.js';
import { type SmsEntry, type SmsMember, smsPageKey } from '../sms-member.js';
import { type Asker, beginJob } from './begin-job.js';
import type { Facts } from './decider.js';
import { type Effect, NO_EFFECT } from './effect.js';
import { applyPart, beginJobOfParts, SMS_PARTS } from './job-parts.js';
import { fitsCommit } from './row-budget.js';
import { smsMembersEvents, touchSmsList } from './sms-list-steps.js';
import { NO_STEP, type Step } from './step.js';

/** A member that comes (before is null), changes, or leaves (after is null). */
export interface SmsMemberChange {
  readonly before: SmsMember | null;
  readonly after: SmsMember | null;
}

/** Changes members, and their list counts them. */
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

const entryOf = ({ before, after }: SmsMemberChange): readonly SmsEntry[] => {
  const member = after ?? before;
  return member ? [{ memberId: member.id, after }] : [];
};

/** What of an entry there is to do, as things are now. */
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
 * Changes members of a list: at once if they fit into the commit, else by a job. Other changes of
 * the same members wait for its end (pipeline-rules.md 1), which is also when it is reported: until
 * then the list does not show what the event would say.
 */
export const changeSmsMembers = (
  facts: Facts,
  asker: Asker,
  { list, changes, report }: SmsMembersChange,
): Effect => {
  if (changes.length === 0) return NO_EFFECT;
  if (fitsCommit(facts, changes.length))
    return {
      ...applyChanges(facts, list.id, changes),
      events: smsMembersEvents(list, report),
    };
  const { job, changes: begun } = beginJobOfParts(facts, asker, {
    tenantId: list.tenantId,
    work: { kind: 'sms-list.apply', listId: list.id, report },
    table: SMS_PARTS,
    entries: changes.flatMap(entryOf),
  });
  return {
    changes: [...begun, touchSmsList(facts, list, { pendingJob: job.id })],
    events: [],
  };
};

/**
 * Removes the members of a list that is gone, at once or by a job. No event waits for it: from the
 * commit that removes the list on, no request finds the list or any of its members.
 */
export const clearSmsList = (facts: Facts, asker: Asker, list: SmsList): Effect => {
  const { id: listId, tenantId, memberCount } = list;
  if (memberCount === 0) return NO_EFFECT;
  if (fitsCommit(facts, memberCount)) {
    const members = facts.list('smsMembers', 'list', listId);
    return {
      changes: members.map((before) => ({ table: 'smsMembers', before, after: null }) as const),
      events: [],
    };
  }
  const work = { kind: 'sms-list.clear', listId } as const;
  const job = beginJob(facts, asker, { tenantId, work, cursor: '', total: memberCount });
  return { changes: [{ table: 'jobs', before: null, after: job }], events: [] };
};

/** A part of the entries, as things are now; with the last one, all of them are reported. */
export const applySmsPart = (facts: Facts, job: Job, { listId, report }: ApplyToSmsList): Step => {
  const step = applyPart(facts, job, {
    table: SMS_PARTS,
    apply: (entries) => applyChanges(facts, listId, changesBy(facts, entries)),
  });
  const list = facts.find('smsLists', 'id', listId);
  if (step === NO_STEP || step.next !== null || !list) return step;
  return { ...step, effect: { ...step.effect, events: smsMembersEvents(list, report) } };
};

/** What is done is gone, so whoever is still there is at the front. */
export const clearSmsPage = (facts: Facts, listId: SmsList['id']): Step => {
  const { stepSize } = facts.limits;
  const page = facts.list('smsMembers', 'first', smsPageKey({ listId, limit: stepSize }));
  return {
    effect: {
      changes: page.map((before) => ({ table: 'smsMembers', before, after: null }) as const),
      events: [],
    },
    done: page.length,
    next: page.length < stepSize ? null : '',
  };
};

/** The members can be changed by others again. */
export const releaseSmsList = (facts: Facts, { id, work }: Job): Effect => {
  if (work.kind !== 'sms-list.apply') return NO_EFFECT;
  const list = facts.find('smsLists', 'id', work.listId);
  return list?.pendingJob === id
    ? { changes: [touchSmsList(facts, list, { pendingJob: null })], events: [] }
    : NO_EFFECT;
};
