import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/domain/kernel/chunked.js';
import { checkExpression, checkBody } from '../../src/scim/check-input.js';
import { expectQuick } from '../support/expect-quick.js';

const screened = (body: unknown) => runSync(checkBody(body));

const USER_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const NAMES = [...Object.getOwnPropertyNames(Object.prototype), '__proto__', 'prototype'];

describe('checkExpression', () => {
  it.each([
    'userName eq "Bob"',
    'displayName eq "constructor"',
    'displayName co "toString.call"',
    'emails[type eq "work"].value eq "a"',
    `${USER_URN}:name.familyName co "O\\"x"`,
    'title eq "and or and or"',
    'userName eq "ü"',
    'constructors eq "x"',
    'my_toString eq "x"',
  ])('accepts %s', (expression) => {
    expect(checkExpression(expression)).toBeUndefined();
  });

  it.each([
    ['constructor.keys eq "x"', 'reserved name'],
    ['hasOwnProperty.call eq "x"', 'reserved name'],
    ['HasOwnProperty.call eq "x"', 'reserved name'],
    ['toString.call pr', 'reserved name'],
    ['name.__proto__.polluted eq "x"', 'reserved name'],
    ['emails[valueOf.x eq 1]', 'reserved name'],
    ['title eq "x"constructor eq "y"', 'reserved name'],
    [`${USER_URN}:__proto__.pwned`, 'reserved name'],
    [`userName eq "${'\n'.repeat(40)}`, 'control characters'],
    [`userName eq "${'\\'.repeat(61)}`, 'without a closing quote'],
    ['userName eq "x', 'without a closing quote'],
    [`${'a pr and '.repeat(101)}a pr`, 'more than 100 conditions'],
    ['x'.repeat(8193), 'more than 8192 characters'],
  ])('rejects %s', (expression, why) => {
    expect(checkExpression(expression)).toContain(why);
  });

  it.each(NAMES)('rejects the reserved name %s at any position and in any case', (name) => {
    for (const each of [name, name.toUpperCase(), `a.${name}`, `${name}.a`, `a[${name} pr]`]) {
      expect(checkExpression(each)).toBeDefined();
    }
  });

  it('takes linear time on hostile input', async () => {
    const hostile = ['"\\"', '\\', '"', 'and ', ' or', 'a.', '[', '\\"'];
    for (const each of hostile)
      await expectQuick(() => checkExpression(each.repeat(8192 / each.length)));
  });
});

describe('checkBody', () => {
  it.each([
    { userName: 'constructor', 'emails[type eq "work"].value': 'a' },
    { Operations: [{ op: 'add', path: 'emails[type eq "work"].value', value: '__proto__' }] },
    { [USER_URN]: { department: 'x' }, [`${USER_URN}:manager.value`]: 'x' },
    [null, 5, 'text', true],
  ])('accepts %j', (body) => {
    expect(screened(body)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['key', JSON.parse('{"__proto__": {"a": 1}}')],
    ['key', { name: JSON.parse('{"__proto__": {"a": 1}}') as unknown }],
    ['key', { [`${USER_URN}:__proto__.pwned`]: 'x' }],
    ['key', { [`${USER_URN}:constructor.keys`]: 'x' }],
    ['key', { Constructor: 1 }],
    ['key', { 'name.toString': 1 }],
    ['key', { Operations: [{ value: [{ 'a.__proto__.qq': 'x' }] }] }],
    ['key', { 'emails[__proto__ pr].value': 'x' }],
    ['path', { Operations: [{ path: 'emails[__proto__.zz eq "x"].value' }] }],
    ['path', { Operations: [{ path: 'emails[hasOwnProperty.call eq "x"].value' }] }],
    ['path', { Operations: [{ Path: 'emails[__proto__.zz eq "x"].value' }] }],
    ['path', { Operations: [{ data: { Operations: [{ path: 'a "' }] } }] }],
  ])('rejects a %s with a reserved name or a syntax error: %j', (where, body) => {
    expect(screened(body)).toMatchObject({ where });
  });

  it('rejects more than 32 levels of nesting', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 1 : { a: nest(depth - 1) });
    expect(screened(nest(32))).toBeUndefined();
    expect(screened(nest(33))).toMatchObject({ where: 'key' });
  });

  it('never throws and never pollutes Object.prototype, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        screened(JSON.parse(text));
        expect(Object.keys({})).toEqual([]);
      }),
    );
  });
});
