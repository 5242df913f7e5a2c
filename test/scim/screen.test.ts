import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/domain/in-pieces.js';
import { screenBody, screenExpression } from '../../src/scim/screen.js';
import { expectQuick } from './quick.js';

const screened = (body: unknown) => atOnce(screenBody(body));

const USER_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const NAMES = [...Object.getOwnPropertyNames(Object.prototype), '__proto__', 'prototype'];

describe('the screen of expressions', () => {
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
  ])('lets pass %s', (expression) => {
    expect(screenExpression(expression)).toBeUndefined();
  });

  it.each([
    ['constructor.keys eq "x"', 'no attribute'],
    ['hasOwnProperty.call eq "x"', 'no attribute'],
    ['HasOwnProperty.call eq "x"', 'no attribute'],
    ['toString.call pr', 'no attribute'],
    ['name.__proto__.polluted eq "x"', 'no attribute'],
    ['emails[valueOf.x eq 1]', 'no attribute'],
    ['title eq "x"constructor eq "y"', 'no attribute'],
    [`${USER_URN}:__proto__.pwned`, 'no attribute'],
    [`userName eq "${'\n'.repeat(40)}`, 'control characters'],
    [`userName eq "${'\\'.repeat(61)}`, 'no closing quote'],
    ['userName eq "x', 'no closing quote'],
    [`${'a pr and '.repeat(101)}a pr`, 'more than 100'],
    ['x'.repeat(8193), 'longer than 8192'],
  ])('stops %s', (expression, why) => {
    expect(screenExpression(expression)).toContain(why);
  });

  it.each(NAMES)('stops %s in any place and case', (name) => {
    for (const each of [name, name.toUpperCase(), `a.${name}`, `${name}.a`, `a[${name} pr]`]) {
      expect(screenExpression(each)).toBeDefined();
    }
  });

  it('takes linear time', () => {
    const hostile = ['"\\"', '\\', '"', 'and ', ' or', 'a.', '[', '\\"'];
    for (const each of hostile)
      expectQuick(() => void screenExpression(each.repeat(8192 / each.length)));
  });
});

describe('the screen of bodies', () => {
  it.each([
    { userName: 'constructor', 'emails[type eq "work"].value': 'a' },
    { Operations: [{ op: 'add', path: 'emails[type eq "work"].value', value: '__proto__' }] },
    { [USER_URN]: { department: 'x' }, [`${USER_URN}:manager.value`]: 'x' },
    [null, 5, 'text', true],
  ])('lets pass %j', (body) => {
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
  ])('stops a %s that is no name: %j', (where, body) => {
    expect(screened(body)).toMatchObject({ where });
  });

  it('stops nesting that has no end', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 1 : { a: nest(depth - 1) });
    expect(screened(nest(32))).toBeUndefined();
    expect(screened(nest(33))).toMatchObject({ where: 'key' });
  });

  it('passes over any JSON without a throw, and leaves every object as it was', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        screened(JSON.parse(text));
        expect(Object.keys({})).toEqual([]);
      }),
    );
  });
});
