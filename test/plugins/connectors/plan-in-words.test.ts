import { describe, expect, it } from 'vitest';
import {
  outlookOf,
  summaryOf,
  takesAccess,
} from '../../../plugins/connectors/operate/plan-in-words.js';
import { changeInWords } from '../../../plugins/connectors/plan/change-in-words.js';
import {
  NO_COUNTS,
  type PlanOutlook,
  type PlanSummary,
  type RunCounts,
} from '../../../plugins/connectors/run/run-record.js';

const SEATS = { before: 20, after: 20, capacity: 50 };

const planned = (
  outlook: Partial<PlanOutlook>,
  counts: Partial<RunCounts> = {},
  plan: Partial<PlanSummary> = {},
) => ({
  counts: { ...NO_COUNTS, ...counts },
  plan: {
    ...{ digest: 'd', items: 0, deactivations: 0, emailChanges: 0, findings: [], warnings: [] },
    hasManagers: false,
    outlook: { classes: {}, absences: {}, missingRuns: 2, seats: SEATS, ...outlook },
    ...plan,
  },
});

const textsOf = (run: Parameters<typeof outlookOf>[0]) =>
  outlookOf(run).map(({ title, lines }) => [title, lines.map(({ text }) => text)]);

describe('a plan in words', () => {
  it('says what happens at once, later and not, the riskiest first', () => {
    const run = planned(
      {
        classes: { update: 3, create: 1, missing: 130, deactivate: 11, leave: 2 },
        absences: { 1: 130 },
        seats: { before: 400, after: 390, capacity: 500 },
      },
      { unchanged: 40, failed: 1 },
    );
    expect(textsOf(run)).toEqual([
      [
        'At once',
        [
          '11 people lose access.',
          '2 people leave groups, and the rooms and roles that follow from them.',
          '1 person gets an account.',
          '3 people are changed.',
          'Seats in use: 400 before, 390 after, of 500.',
        ],
      ],
      [
        'Later',
        [
          '130 people are missing for the first time. The next full read deactivates those who are still missing.',
        ],
      ],
      ['Not changed', ['40 people stay as they are.', '1 record has failed and is in quarantine.']],
    ]);
    expect(summaryOf(run)).toBe(
      '11 lose access, 2 leave groups, 130 are missing, 1 gets an account, 3 are changed',
    );
  });

  it('says after how many full reads missing people are deactivated', () => {
    const run = planned({
      ...{ classes: { missing: 6 }, missingRuns: 4, absences: { 1: 1, 3: 5 } },
    });
    expect(textsOf(run)).toEqual([
      ['At once', ['No one is changed.']],
      [
        'Later',
        [
          '1 person is missing for the first time. 3 more full reads in a row deactivate those who are still missing.',
          '5 people are missing from 3 full reads in a row. The next full read deactivates those who are still missing.',
        ],
      ],
    ]);
  });

  it('has the day on which access ends that another record keeps for now', () => {
    const run = planned({ classes: { deferred: 1 }, deferredUntil: '2026-11-29T08:00:00.000Z' });
    expect(textsOf(run)[1]).toEqual([
      'Later',
      [
        '1 person has ended in the source, but another record claims their user. Access ends on 29 November 2026 at 08:00 UTC unless that record is applied.',
      ],
    ]);
  });

  it('warns of a first plan that matches no user', () => {
    const onlyHere = { count: 2, users: [] };
    const text = 'No record matches an existing user';
    const linesWith = (counts: Partial<RunCounts>) =>
      JSON.stringify(outlookOf(planned({}, counts, { onlyHere })));
    expect(linesWith({})).toContain('2 active users are only here');
    expect(linesWith({})).toContain(text);
    expect(linesWith({ planned: { link: 1 } })).not.toContain(text);
  });

  it('takes access away only by deactivations and from groups', () => {
    const absent = planned({}, {}, { tallies: { deactivations: 130 } });
    expect(takesAccess(absent)).toBe(false);
    expect(takesAccess(planned({}, {}, { deactivations: 1 }))).toBe(true);
    expect(takesAccess(planned({}, {}, { tallies: { removals: 1 } }))).toBe(true);
  });

  it('has the kinds of a plan of an older version', () => {
    const kinds = { missing: 2, update: 1, touch: 9 };
    const { counts, plan } = planned({}, { planned: kinds }, { tallies: { removals: 1 } });
    const { outlook: _outlook, ...older } = plan;
    const run = { counts, plan: older };
    expect(textsOf(run)).toEqual([
      [
        'At once',
        [
          '1 person leaves groups, and the rooms and roles that follow from them.',
          '1 person is changed.',
        ],
      ],
      ['Later', ['2 people are missing.']],
    ]);
    expect(summaryOf({ counts, plan: null })).toBe('no plan');
  });

  it('says what changes for one person', () => {
    const none = { changes: [], groups: [] };
    const group = (op: 'add' | 'remove', name: string) => ({ op, name, groupId: null });
    const from = group('remove', 'Fire 1');
    const to = group('add', 'Fire 2');
    const title = { attribute: 'title', before: 'Driver', after: 'Medic' };
    expect(changeInWords({ ...none, groups: [from, to], changes: [title] })).toBe(
      'Moves from Fire 1 to Fire 2; changes title.',
    );
    expect(changeInWords({ ...none, groups: [from], manager: null })).toBe(
      'Leaves Fire 1; changes manager.',
    );
    expect(changeInWords({ ...none, groups: [to], changes: [title], manager: 'b' })).toBe(
      'Joins Fire 2; changes title, manager.',
    );
  });
});
