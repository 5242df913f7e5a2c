import { describe, expect, it } from 'vitest';
import {
  mapInYaml,
  overridesOf,
  recordsInJson,
  recordsOfTable,
  toRule,
  toText,
} from '../../plugins/dashboard/app/mapping-rules.js';
import { parse } from 'yaml';

const RULES: readonly (readonly [string, string, unknown])[] = [
  ['work.email', '', 'work.email'],
  ['preferredName | firstName', '', 'preferredName | firstName'],
  ['mail', 'trim, lower, required', { path: 'mail', transform: ['trim', 'lower'], required: true }],
  ['{first} {last}', '', { template: '{first} {last}' }],
  ['= Employee', '', { constant: 'Employee' }],
  ['= 7', '', { constant: 7 }],
  ['= "7"', '', { constant: '7' }],
  ['jsonata: a & b', '', { jsonata: 'a & b' }],
  [
    'start',
    'date dd.MM.yyyy, default "1, 2"',
    { path: 'start', transform: [{ date: 'dd.MM.yyyy' }], default: '1, 2' },
  ],
  [
    'code',
    'split ";", {"map":{"D1":"Dispatcher","D,2":"}"},"otherwise":"Staff"}, join " "',
    {
      path: 'code',
      transform: [
        { split: ';' },
        { map: { D1: 'Dispatcher', 'D,2': '}' }, otherwise: 'Staff' },
        { join: ' ' },
      ],
    },
  ],
];

describe('rules of a mapping as text', () => {
  it.each(RULES)('%s, %s', (source, steps, rule) => {
    expect(toRule({ target: 'title', source, steps })).toEqual(rule);
    expect(toRule(toText('title', rule))).toEqual(rule);
  });

  it('are written into the configuration where they are not those of the connector', () => {
    const own = { title: 'title', userName: { path: 'mail', required: true }, nickName: 'nick' };
    const rows = [
      toText('userName', own.userName),
      ...RULES.map(([, , rule], at) => toText(`emails.${at}`, rule)),
      toText('title', { path: 'on', transform: [{ split: ': #' }] }),
    ];
    const overrides = overridesOf(rows, own);
    expect(Object.keys(overrides)).not.toContain('userName');
    expect(parse(mapInYaml(overrides))).toEqual({
      map: {
        ...Object.fromEntries(RULES.map(([, , rule], at) => [`emails.${at}`, rule])),
        title: { path: 'on', transform: [{ split: ': #' }] },
        nickName: null,
      },
    });
    expect(mapInYaml({})).toBe('map: {}\n');
  });
});

describe('a sample', () => {
  it('of CSV gets the names of fields that rules use', () => {
    const rows = [
      ['Employee ID', 'Shoe size', 'mail'],
      ['1', '', 'ada@example.com'],
    ];
    expect(recordsOfTable(rows, ['employeeId', 'mail'])).toEqual([
      { employeeId: '1', mail: 'ada@example.com' },
    ]);
  });

  it.each([
    ['a list', '[{"id":1},{"id":2}]'],
    ['a list in an object', '{"page":{"n":1},"data":[{"id":1},{"id":2}]}'],
    ['lines', '{"id":1}\n{"id":2}\n'],
  ])('of JSON is %s', (_, text) => {
    expect(recordsInJson(text)).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
