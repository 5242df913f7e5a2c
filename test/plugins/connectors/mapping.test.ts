import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, Mapping } from '../../../src/plugin/api.js';
import { compileDateFormat, dateIn } from '../../../plugins/connectors/iso-date.js';
import {
  attributesOf,
  emailIn,
  profileOf,
  profilePath,
  TARGETS,
} from '../../../plugins/connectors/mapping/attributes.js';
import {
  compileMapping,
  mergeMapping,
} from '../../../plugins/connectors/mapping/compile-mapping.js';
import { createJsonataProcess } from '../../../plugins/connectors/mapping/jsonata-process.js';
import { readPath } from '../../../plugins/connectors/mapping/read-path.js';

const map = (mapping: Mapping, data: JsonObject) =>
  compileMapping({ userName: { constant: 'u' }, ...mapping }).map(data);

const valueOf = (rule: Mapping[string], data: JsonObject) => {
  const mapped = map({ title: rule }, data);
  if (mapped instanceof Promise) throw new Error('unexpected promise');
  return mapped.ok ? mapped.attributes.title : mapped.message;
};

describe('paths', () => {
  it.each([
    ['a.b', { a: { b: 'x' } }, 'x'],
    ['a.1.b', { a: [{}, { b: 'x' }] }, 'x'],
    ['a.b', { 'a.b': 'column', a: { b: 'x' } }, 'column'],
    ['E-Mail (work)', { 'E-Mail (work)': 'x' }, 'x'],
    ['preferred | first', { preferred: ' ', first: 'Ada' }, 'Ada'],
    ['preferred | first', { preferred: 'Countess', first: 'Ada' }, 'Countess'],
    ['a', { a: '' }, undefined],
    ['a.b', { a: null }, undefined],
    ['__proto__.x', {}, undefined],
    ['constructor', {}, undefined],
    ['toString.name', {}, undefined],
  ])('%s', (path, data, expected) => {
    expect(readPath(data, path)).toBe(expected);
  });
});

describe('rules', () => {
  it.each<[string, Mapping[string], JsonObject, unknown]>([
    ['a path', 'job', { job: 'Driver' }, 'Driver'],
    ['a number', 'job', { job: 7 }, '7'],
    ['no value', 'job', { job: ' ' }, undefined],
    [
      'a table, whatever the case is',
      { path: 'job', transform: [{ map: { D1: 'Driver', d1: 'Dispatcher', M1: 'Medic' } }] },
      { job: ' m1 ' },
      'Medic',
    ],
    [
      'no date',
      { path: 'job', transform: [{ date: 'yyyy-MM-dd' }] },
      { job: '0000-00-00' },
      undefined,
    ],
    ['a default', { path: 'job', default: 'None' }, {}, 'None'],
    [
      'a missing required value',
      { path: 'job', required: true },
      {},
      'title: "job" has no value, and title needs one.',
    ],
    ['a template', { template: '{a} {b.c}' }, { a: 'x', b: { c: 'y' } }, 'x y'],
    ['a template with a gap', { template: '{a} {b}' }, { a: 'x' }, undefined],
    [
      'a template with transforms',
      { template: '{a}.{b}', transform: ['lower'] },
      { a: 'X', b: 'Y' },
      'x.y',
    ],
    ['a constant', { constant: 'z' }, {}, 'z'],
    ['trim and upper', { path: 'a', transform: ['trim', 'upper'] }, { a: ' x ' }, 'X'],
    ['a table', { path: 'a', transform: [{ map: { D: 'Driver' } }] }, { a: 'D' }, 'Driver'],
    [
      'a table without entry',
      { path: 'a', transform: [{ map: { D: 'Driver' } }] },
      { a: 'E' },
      undefined,
    ],
    [
      'a table with a fallback',
      { path: 'a', transform: [{ map: {}, otherwise: 'Other' }] },
      { a: 'E' },
      'Other',
    ],
    ['no inherited entry', { path: 'a', transform: [{ map: {} }] }, { a: 'toString' }, undefined],
    [
      'split and join',
      { path: 'a', transform: [{ split: ',' }, 'upper', { join: '/' }] },
      { a: 'x, y,' },
      'X/Y',
    ],
    [
      'a date',
      { path: 'a', transform: [{ date: 'dd.MM.yyyy' }] },
      { a: '09.02.2026' },
      '2026-02-09',
    ],
    [
      'a date that does not exist',
      { path: 'a', transform: [{ date: 'dd.MM.yyyy' }] },
      { a: '31.02.2026' },
      'title: "31.02.2026" is not a date of the form dd.MM.yyyy.',
    ],
    [
      'a phone number',
      { path: 'a', transform: [{ phone: 'DE' }] },
      { a: '030 123456' },
      '+4930123456',
    ],
    ['no phone number', { path: 'a', transform: [{ phone: 'DE' }] }, { a: 'ask Ada' }, undefined],
    ['control characters', 'a', { a: 'x\u0007y' }, 'title contains control characters.'],
  ])('%s', (_name, rule, data, expected) => {
    expect(valueOf(rule, data)).toEqual(expected);
  });

  it('reports a record without a user name', () => {
    expect(compileMapping({ userName: 'mail' }).map({})).toEqual({
      ok: false,
      message: 'userName has no value.',
    });
  });

  it('refuses an unknown attribute and a bad format, by name', () => {
    expect(() => compileMapping({ colour: 'a' })).toThrow('map.colour: users have no attribute');
    expect(() => compileMapping({ title: { path: 'a', transform: [{ date: 'xx' }] } })).toThrow(
      'map.title: "xx" is not a date format',
    );
  });

  it('takes the rules of the operator in place of those of the connector', () => {
    expect(
      mergeMapping({ userName: 'a', title: 'b', locale: 'c' }, { title: 'x', locale: null }),
    ).toEqual({
      userName: 'a',
      title: 'x',
    });
  });

  it('states which fields it reads', () => {
    const { fields } = compileMapping({
      userName: 'mail | user.mail',
      title: { template: '{a}-{b.c}' },
    });
    expect(fields).toEqual(['a', 'b', 'b.c', 'mail', 'user', 'user.mail']);
    expect(compileMapping({ userName: { jsonata: 'x' } }).fields).toBeNull();
  });
});

describe('attributes', () => {
  it('builds lists with one primary address', () => {
    expect(
      attributesOf({
        userName: 'u',
        email: 'a@x.org',
        'emails.home': 'b@x.org',
        'phoneNumbers.mobile': '+491',
      }),
    ).toEqual({
      userName: 'u',
      emails: [
        { value: 'a@x.org', type: 'work', primary: true },
        { value: 'b@x.org', type: 'home' },
      ],
      phoneNumbers: [{ value: '+491', type: 'mobile' }],
    });
  });

  it('refuses what is not an e-mail address', () => {
    expect(map({ email: 'mail' }, { mail: 'none' })).toEqual({
      ok: false,
      message: 'email is not an e-mail address.',
    });
  });

  const INVISIBLE = ['\u200b', '\u200d', '\u00ad', '\u200e', '\u2060', '\u202e'];
  it.each(INVISIBLE)('trims %j at the ends of addresses and ids, and nowhere else', (character) => {
    const around = { value: `${character} a@example.com${character}` };
    expect(map({ userName: 'value', email: 'value' }, around)).toMatchObject({
      attributes: { userName: 'a@example.com', emails: [{ value: 'a@example.com' }] },
    });
    for (const target of ['userName', 'externalId', 'email', 'phoneNumbers.work', 'manager'])
      expect(map({ [target]: 'value' }, { value: `a${character}b@example.com` })).toMatchObject({
        message: expect.stringContaining(
          `${target} must not contain the invisible character`,
        ) as string,
      });
    expect(map({ displayName: 'value' }, { value: `A${character}B` })).toMatchObject({ ok: true });
  });

  it.each([
    ['email', 'eve@x.example.', 'email is not an e-mail address.'],
    ['phoneNumbers.mobile', '4.93E+11', 'phoneNumbers.mobile is a number that a spreadsheet'],
    ['externalId', '1,23457E+17', 'externalId is a number that a spreadsheet has rounded'],
    ['userName', '\u200b', 'userName has no visible character.'],
    ['name.familyName', 'M\ufffdller', 'name.familyName has lost a character (U+FFFD)'],
  ])('refuses the %s %j', (target, value, message) => {
    expect(map({ [target]: 'value' }, { value })).toMatchObject({
      message: expect.stringContaining(message) as string,
    });
  });

  it('structures the profile as SCIM does', () => {
    expect(
      profileOf({
        userName: 'u',
        'name.givenName': 'A',
        'name.familyName': 'B',
        'enterprise.department': 'D',
        manager: '7',
      }),
    ).toEqual({
      userName: 'u',
      name: { givenName: 'A', familyName: 'B' },
      enterprise: { department: 'D' },
    });
    expect(profilePath('enterprise.department')).toEqual(['enterprise', 'department']);
    expect(profilePath('manager')).toEqual(['enterprise', 'manager']);
  });
});

describe('the address to match by', () => {
  it.each([
    [{ emails: [{ value: 'a@x.org' }, { value: 'B@x.org', primary: true }] }, 'b@x.org'],
    [{ userName: 'C@x.org', emails: [{ value: 'n/a' }] }, 'c@x.org'],
    [{ userName: 'C@x.org' }, 'c@x.org'],
    [{ userName: 'c', emails: [{ value: 'n/a', primary: true }] }, undefined],
    [{}, undefined],
  ])('is the one that the user has natively: %j', (attributes, email) => {
    expect(emailIn(attributes)).toBe(email);
  });
});

describe('JSONata', () => {
  const jsonata = createJsonataProcess();
  afterAll(() => jsonata.stop());
  const run = (expression: string, data: JsonObject = { a: [1, 2] }) =>
    jsonata.evaluate(expression, data);
  const isInstalled = (): boolean => {
    try {
      import.meta.resolve('jsonata');
      return true;
    } catch {
      return false;
    }
  };

  it('names the command that installs it', async () => {
    const missing = createJsonataProcess(() => {
      throw new Error('JSONata needs the package "jsonata": run "npm install jsonata@2.2.2".');
    });
    await expect(missing.evaluate('a', {})).rejects.toThrow('npm install jsonata@2.2.2');
  });

  it.runIf(isInstalled())(
    'evaluates, reports errors, and survives an endless expression',
    async () => {
      expect(await run('$sum(a)')).toMatchObject({ ok: true, value: 3 });
      expect(await run('$nothing(a)')).toMatchObject({ ok: false });
      expect(await run('($f := function($x) { $f($x + 1) }; $f(1))')).toMatchObject({ ok: false });
      expect(await run('$sum(a)')).toMatchObject({ ok: true, value: 3 });
    },
  );

  it.runIf(isInstalled())('quarantines the record, not the run', async () => {
    const mapping = compileMapping({ userName: { jsonata: '$error("no")' } }, jsonata.evaluate);
    expect(await mapping.map({})).toMatchObject({ ok: false });
  });
});

describe('properties', () => {
  const json = fc.jsonValue({ maxDepth: 3 });

  it('no record makes a mapping throw', () => {
    const targets = [...TARGETS];
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 5 }), json),
        fc.constantFrom(...targets),
        (data, target) => {
          const [field = 'a'] = Object.keys(data);
          const mapped = map(
            { [target]: { path: field, transform: ['trim', { phone: 'DE' }, { split: ',' }] } },
            data,
          );
          expect(mapped).toHaveProperty('ok');
        },
      ),
    );
  });

  it('a date written in a format is read back', () => {
    const read = compileDateFormat('dd/MM/yyyy');
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (date) => {
          const iso = date.toISOString().slice(0, 10);
          expect(read(iso.split('-').reverse().join('/'))).toBe(iso);
        },
      ),
    );
  });

  it('the day depends on the time zone', () => {
    const at = new Date('2026-03-31T22:30:00Z');
    expect(dateIn('UTC', at)).toBe('2026-03-31');
    expect(dateIn('Europe/Berlin', at)).toBe('2026-04-01');
    expect(dateIn('America/New_York', at)).toBe('2026-03-31');
  });
});
