import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/plugin/api.js';
import {
  type ConfiguredLifecycle,
  lifecycleRules,
  stageOf,
} from '../../../plugins/connectors/lifecycle.js';

const TODAY = '2026-11-22';

const stage = (data: JsonObject, configured: Partial<ConfiguredLifecycle> = {}) =>
  stageOf(
    data,
    lifecycleRules(
      {
        start: 'start',
        end: 'end',
        status: { path: 'status', inactive: ['Terminated'], active: ['Contractor'] },
      },
      { createAheadDays: 0, ...configured },
      'UTC',
    ),
    TODAY,
  );

describe('lifecycle', () => {
  it.each<[string, JsonObject, Partial<ConfiguredLifecycle>, object]>([
    ['no dates', {}, {}, { state: 'active', changesOn: null }],
    ['starts today', { start: TODAY }, {}, { state: 'active' }],
    ['starts tomorrow', { start: '2026-11-23' }, {}, { state: 'future', changesOn: '2026-11-23' }],
    [
      'starts next week, created ahead',
      { start: '2026-11-29' },
      { createAheadDays: 7 },
      { state: 'active' },
    ],
    [
      'starts in 8 days, created 7 ahead',
      { start: '2026-11-30' },
      { createAheadDays: 7 },
      { state: 'future', changesOn: '2026-11-23' },
    ],
    ['last day today', { end: TODAY }, {}, { state: 'active', changesOn: '2026-11-23' }],
    ['last day yesterday', { end: '2026-11-21' }, {}, { state: 'left' }],
    ...[
      '0001-01-01',
      '0001-01-01T00:00:00',
      '0000-00-00',
      '0000-00-00 00:00:00',
      '0999-12-31',
      'infinity',
      '-infinity',
      '1753-01-01',
      '9999-12-31',
      '9001-01-01',
    ].map((end): [string, JsonObject, object, object] => [
      `the end ${end}, which is none`,
      { end },
      {},
      { state: 'active', changesOn: null },
    ]),
    ...['01.01.0001', '00.00.0000', '31.12.9999'].map(
      (end): [string, JsonObject, object, object] => [
        `the end ${end}, which is none`,
        { end },
        { dateFormat: 'dd.MM.yyyy' },
        { state: 'active', changesOn: null },
      ],
    ),
    ['the start 0001-01-01, which is none', { start: '0001-01-01' }, {}, { state: 'active' }],
    ['an end in the year 9000', { end: '9000-12-31' }, {}, { changesOn: '9001-01-01' }],
    [
      'a moment that is another day in the zone',
      { end: '2026-11-21T23:30:00Z' },
      { timezone: 'Europe/Berlin' },
      { state: 'active', changesOn: '2026-11-23' },
    ],
    [
      'a moment with an offset',
      { end: '2026-11-22T01:30:00+02:00' },
      { timezone: 'America/New_York' },
      { state: 'left', why: 'The last day was 2026-11-21.' },
    ],
    [
      'a date with midnight, which is a day',
      { end: '2026-11-22T00:00:00.000Z' },
      { timezone: 'America/New_York' },
      { state: 'active', changesOn: '2026-11-23' },
    ],
    ['an end that was withdrawn', { end: '' }, {}, { state: 'active', changesOn: null }],
    [
      'a status that takes no seat',
      { status: 'terminated', end: '2027-01-01' },
      {},
      { state: 'left' },
    ],
    [
      'a status that takes a seat',
      { status: 'Contractor', end: '2026-01-01' },
      {},
      { state: 'active' },
    ],
    [
      'another status follows the dates',
      { status: 'Leave', end: '2026-01-01' },
      {},
      { state: 'left' },
    ],
    ['a time is cut to its day', { end: '2026-11-22T08:00:00+09:00' }, {}, { state: 'active' }],
    ['a date in a format', { end: '21.11.2026' }, { dateFormat: 'dd.MM.yyyy' }, { state: 'left' }],
    ['a path that the operator removed', { end: '2026-01-01' }, { end: null }, { state: 'active' }],
  ])('%s', (_name, data, configured, expected) => {
    expect(stage(data, configured)).toMatchObject(expected);
  });

  it('reports an unreadable date as an error of the record', () => {
    expect(() => stage({ end: '31.12.2026' })).toThrow('"end" is not an ISO date');
  });

  it.each(['2026-12-01', '2026-11-01'])(
    'a first day after the last one, %s, is an error',
    (start) => {
      expect(() => stage({ start, end: '2026-05-31' })).toThrow(
        `The first day, ${start}, is after the last day, 2026-05-31`,
      );
      expect(stage({ start, end: '2026-05-31', status: 'Terminated' })).toMatchObject({
        state: 'left',
      });
    },
  );
});
