import { describe, expect, it } from 'vitest';
import {
  dangersOfDay,
  enoughUsers,
  findDangers,
  type GuardFacts,
  type PlanCounts,
} from '../../../plugins/connectors/guard/find-dangers.js';
import { ConnectorOptions } from '../../../plugins/connectors/options.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);

const aPlan = (counts: Partial<PlanCounts>): PlanCounts => ({
  ...{ records: 100, duplicates: 0, deactivations: 0, byDate: 0, newLinks: 0, joiners: 0 },
  tallies: {},
  fields: { lost: {}, empty: [] },
  ...counts,
});

const facts = (known: Partial<GuardFacts>): GuardFacts => ({
  ...{ mode: 'full', links: 100, population: 100, recent: {}, now: NOW, lastRunAt: NOW },
  seats: { seatCapacity: null, seatsProvisioned: 100 },
  ...known,
});

const safetyOf = (safety: object) => ConnectorOptions.parse({ safety }).safety;

/** The names of the guards that hold a plan of a tenant with 100 linked and active users. */
const guardsOf = (counts: Partial<PlanCounts>, known: Partial<GuardFacts> = {}, safety = {}) =>
  findDangers(aPlan(counts), facts(known), safetyOf(safety)).map(({ guard }) => guard);

describe('a plan', () => {
  it.each<[string, Partial<PlanCounts>, Partial<GuardFacts>, readonly string[]]>([
    ['reads nothing, although records are linked', { records: 0 }, {}, ['empty']],
    ['reads nothing of a delta', { records: 0 }, { mode: 'delta' }, []],
    ['reads nothing for the first time', { records: 0 }, { links: 0 }, []],
    ['reads a record twice', { duplicates: 1 }, {}, ['duplicates']],
    ['deactivates by date after 7 days', { byDate: 1 }, { lastRunAt: daysAgo(7) }, []],
    ['… after more', { byDate: 1 }, { lastRunAt: daysAgo(7.01) }, ['clock']],
    ['… in the first run', { byDate: 1 }, { lastRunAt: null }, []],
    ['deactivates none by date after months', {}, { lastRunAt: daysAgo(99) }, []],
  ])('that %s: %#', (_case, counts, known, guards) => {
    expect(guardsOf(counts, known)).toEqual(guards);
  });

  it.each<[string, number, number, object, boolean]>([
    ['10 % of 100 users', 10, 100, {}, false],
    ['more than 10 %', 11, 100, {}, true],
    ['20 % of fewer than 20', 3, 15, {}, false],
    ['more than 20 % of fewer than 20', 4, 19, {}, true],
    ['more than 10 % of 20', 3, 20, {}, true],
    ['two of two', 2, 2, {}, false],
    ['one, if none is allowed', 1, 100, { maxDeactivateCount: 0 }, true],
    ['as many as allowed', 50, 1_000, {}, false],
    ['more, whatever their share', 51, 1_000, {}, true],
  ])('that deactivates %s (%i of %i): %#', (_case, deactivations, population, safety, isHeld) => {
    const guards = guardsOf({ tallies: { deactivations } }, { population }, safety);
    expect(guards).toEqual(isHeld ? ['deactivations'] : []);
  });

  it.each([
    ['takeovers', 5, 20],
    ['reactivations', 10, 50],
    ['removals', 10, 50],
    ['cleared title', 10, 50],
    ['changed title', 25, 500],
    ['emails', 10, Infinity],
  ])('with %s waits above %i %% or %i users', (tally, percent, most) => {
    const isHeld = (count: number, population: number): boolean =>
      guardsOf(
        { tallies: { [tally]: count }, newLinks: tally === 'emails' ? 0 : 99 },
        { population },
      ).length > 0;
    expect([isHeld(percent, 100), isHeld(percent + 1, 100)]).toEqual([false, true]);
    const [few, many] = most === Infinity ? [1_000, 1_001] : [most, most + 1];
    expect([isHeld(few, 10_000), isHeld(many, 10_000)]).toEqual([false, true]);
  });

  it('may change addresses of users that it links, too', () => {
    expect(guardsOf({ tallies: { emails: 4 } }, { population: 30 })).toEqual(['emails']);
    expect(guardsOf({ tallies: { emails: 4 }, newLinks: 10 }, { population: 30 })).toEqual([]);
  });

  it('is held for each of its dangers, in words', () => {
    const counts = aPlan({
      ...{ records: 0, duplicates: 2, byDate: 3, joiners: 60 },
      tallies: { emails: 11 },
      fields: { lost: { mail: 3, job: 11 }, empty: ['mail'] },
    });
    const seats = { seatCapacity: 40, seatsProvisioned: 50 };
    const known = facts({ lastRunAt: daysAgo(9.5), seats });
    expect(findDangers(counts, known, safetyOf({})).map(({ message }) => message)).toEqual([
      'The source has no records, but 100 are linked.',
      '2 record ids came more than once, so other records may be missing; ' +
        'no user is treated as absent.',
      'The field "mail" has no value in any record; 3 had one. ' +
        'The field "job" has lost its value in 11 of 100 linked records; ' +
        'allowed without approval: 10 %.',
      '11 of 100 e-mail addresses would change or disappear; allowed without approval: 10 %.',
      '60 users would join, but only 0 of 40 seats are free.',
      '60 users would join a tenant of 50.',
      '3 users would be deactivated by date, and the last run is 9 days ago. Check the clock.',
    ]);
  });

  it.each<[string, Partial<PlanCounts['fields']>, Partial<GuardFacts>, boolean]>([
    ['in 10 % of the records', { lost: { mail: 10 } }, {}, false],
    ['in more', { lost: { mail: 11 } }, {}, true],
    ['in all of three', { lost: { mail: 3 }, empty: ['mail'] }, {}, true],
    ['in all of two', { lost: { mail: 2 }, empty: ['mail'] }, {}, false],
    ['in all of a delta', { lost: { mail: 3 }, empty: ['mail'] }, { mode: 'delta' }, false],
  ])('that lost a field %s: %#', (_case, fields, known, isHeld) => {
    const lost = { lost: {}, empty: [], ...fields };
    expect(guardsOf({ fields: lost }, known)).toEqual(isHeld ? ['fields'] : []);
  });

  it.each<[string, Partial<PlanCounts>, GuardFacts['seats'], readonly string[]]>([
    ['two without a seat', { joiners: 2 }, { seatCapacity: 9, seatsProvisioned: 9 }, []],
    ['three', { joiners: 3 }, { seatCapacity: 9, seatsProvisioned: 9 }, ['seats']],
    ['three, two without', { joiners: 3 }, { seatCapacity: 10, seatsProvisioned: 9 }, []],
    [
      'five, with the seats of three leavers',
      { joiners: 5, deactivations: 3 },
      { seatCapacity: 9, seatsProvisioned: 9 },
      [],
    ],
    [
      'more than exceed the limit',
      { joiners: 3 },
      { seatCapacity: 5, seatsProvisioned: 9 },
      ['seats'],
    ],
    ['as many as 20 users', { joiners: 20 }, { seatCapacity: null, seatsProvisioned: 20 }, []],
    ['more', { joiners: 21 }, { seatCapacity: null, seatsProvisioned: 20 }, ['joiners']],
    ['more than 19', { joiners: 20 }, { seatCapacity: null, seatsProvisioned: 19 }, []],
  ])('by which %s join: %#', (_case, counts, seats, guards) => {
    expect(guardsOf(counts, { seats })).toEqual(guards);
  });
});

describe('what the last 24 hours did', () => {
  const safety = safetyOf({});

  it('adds up, and is named', () => {
    const known = facts({ recent: { deactivations: 6 } });
    expect(findDangers(aPlan({ tallies: { deactivations: 5 } }), known, safety)).toEqual([
      {
        guard: 'deactivations',
        message:
          "5 of the connector's 100 active users would be deactivated or are missing " +
          '(11 with the last 24 hours); allowed without approval: 10 % and 50.',
      },
    ]);
  });

  it.each<[number, number, readonly string[]]>([
    [5, 5, []],
    [5, 6, ['deactivations']],
    // Held anyway.
    [11, 6, []],
  ])('matters with %i now and %i before: %#', (now, before, expected) => {
    const known = facts({ recent: { deactivations: before } });
    expect(dangersOfDay(aPlan({ tallies: { deactivations: now } }), known, safety)).toEqual(
      expected,
    );
  });
});

describe('users are counted', () => {
  const enough = (counts: Partial<PlanCounts>, recent = {}, safety = {}) =>
    enoughUsers(aPlan(counts), recent, safetyOf(safety));

  it('until their number makes the share harmless', () => {
    expect(enough({})).toBe(0);
    expect(enough({ tallies: { deactivations: 1 } })).toBe(20);
    expect(enough({ tallies: { deactivations: 50 } })).toBe(500);
    expect(enough({ tallies: { deactivations: 3, 'changed title': 20 } })).toBe(80);
    expect(enough({ tallies: { deactivations: 3 } }, { deactivations: 2 })).toBe(50);
    expect(enough({ fields: { lost: { mail: 7 }, empty: [] } })).toBe(70);
  });

  it('all, if no number does', () => {
    expect(enough({ tallies: { deactivations: 51 } })).toBe(Infinity);
    expect(enough({ tallies: { deactivations: 1 } }, {}, { maxDeactivateCount: 0 })).toBe(Infinity);
    expect(enough({}, {}, { maxDeactivateCount: 0 })).toBe(0);
  });
});
