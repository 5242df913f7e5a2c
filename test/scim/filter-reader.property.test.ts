import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/domain/kernel/filter.js';
import { RefusalError } from '../../src/domain/kernel/refusals.js';
import { readFilter } from '../../src/scim/filter-reader.js';
import { USER } from '../../src/scim/schemas.js';
import { userFilter } from './arbitraries.js';
import { printFilter } from './print-filter.js';
import { expectQuick } from '../support/expect-quick.js';
import { refusalOf as refusalOfWork } from './refusal-of.js';
import { propertyRuns } from '../support/property-runs.js';

const read = (text: string): Filter => readFilter(text, USER);
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** The filter in its normalised form. */
const normalised = (text: string): string => printFilter(read(text));

const refusalOf = (text: string) => refusalOfWork(() => read(text));

describe('readFilter', () => {
  it.each([
    ['names in any case', 'USERNAME eq "Bob"', 'userName eq "Bob"'],
    ['operators in any case', 'userName EQ "Bob" AND title Pr', 'userName eq "Bob" and title pr'],
    ['Entra: a capitalised name', 'ActiVe eq true', 'active eq true'],
    ['Entra: a capitalised boolean', 'active eq True', 'active eq true'],
    ['Entra: a boolean as a string', 'active eq "False"', 'active eq false'],
    ['Ping: the core URN', `${CORE}:userName eq "x"`, 'userName eq "x"'],
    ['the enterprise URN', `${ENTERPRISE}:costCenter eq "7"`, `${ENTERPRISE}:costCenter eq "7"`],
    [
      'a URN in upper case',
      `${ENTERPRISE.toUpperCase()}:COSTCENTER pr`,
      `${ENTERPRISE}:costCenter pr`,
    ],
    [
      'a sub-attribute in an extension',
      `${ENTERPRISE}:manager.value eq "7"`,
      `${ENTERPRISE}:manager.value eq "7"`,
    ],
    [
      'a complex attribute with a value',
      `${ENTERPRISE}:manager eq "7"`,
      `${ENTERPRISE}:manager.value eq "7"`,
    ],
    ['a list without a sub-attribute', 'emails co "@x"', 'emails.value co "@x"'],
    [
      'a sub-attribute of a complex attribute',
      'name.familyName sw "O\'"',
      'name.familyName sw "O\'"',
    ],
    [
      'brackets on an attribute that is not a list',
      'name[givenName eq "A" and familyName pr]',
      'name.givenName eq "A" and name.familyName pr',
    ],
    [
      'several conditions on one element',
      'emails[type eq "work" and value eq "x"]',
      'emails[type eq "work" and value eq "x"]',
    ],
    [
      'Entra: a sub-attribute after the brackets',
      'emails[type eq "work"].value eq "x"',
      'emails[type eq "work" and value eq "x"]',
    ],
    [
      'Entra: brackets with a string for a boolean',
      'roles[primary eq "True"].value eq "x"',
      'roles[primary eq true and value eq "x"]',
    ],
    [
      'a missing primary as false (RFC 7643, 2.4)',
      'emails[primary eq false] or phoneNumbers[primary ne false]',
      'emails[not (primary eq true)] or phoneNumbers[not (not (primary eq true))]',
    ],
    [
      'a schema URI in brackets',
      `${CORE}:emails[${CORE}:emails.type eq "work" and ${CORE}:VALUE co "x"]`,
      'emails[type eq "work" and value co "x"]',
    ],
    ['brackets on a list of texts', `schemas[value eq "${ENTERPRISE}"]`, `${ENTERPRISE} pr`],
    ['primary without brackets', 'emails.primary eq "False"', 'emails[not (primary eq true)]'],
    ['no primary', 'emails.primary ne false', 'not (emails[not (primary eq true)])'],
    [
      'and before or',
      'title eq "1" or title eq "2" and nickName eq "3"',
      'title eq "1" or (title eq "2" and nickName eq "3")',
    ],
    [
      'nested parentheses',
      '((title eq "1" or title eq "2") and active eq true) or title eq "3"',
      '((title eq "1" or title eq "2") and active eq true) or title eq "3"',
    ],
    [
      'not of a group',
      'not (title eq "1" and active eq true)',
      'not (title eq "1" and active eq true)',
    ],
    ['not without a space', 'NOT(title pr)', 'not (title pr)'],
    ['keywords in a string', 'not (userName eq "a and b")', 'not (userName eq "a and b")'],
    ['parentheses in a string', '(displayName eq "R&D (EU)")', 'displayName eq "R&D (EU)"'],
    ['escaped quotes', 'userName eq "say \\"hi\\""', 'userName eq "say \\"hi\\""'],
    ['escaped characters', 'userName eq "\u00fc\\u00e9\\n"', 'userName eq "\u00fcé\\n"'],
    ['a reserved name in a string', 'displayName eq "constructor"', 'displayName eq "constructor"'],
    ['null', 'title eq null', 'title eq null'],
    [
      'a date and time',
      'meta.lastModified ge "2026-01-31T12:00:00Z"',
      'meta.lastModified ge "2026-01-31T12:00:00.000Z"',
    ],
    [
      'a date and time with an offset',
      'meta.created lt "2026-01-31T12:00:00+02:00"',
      'meta.created lt "2026-01-31T10:00:00.000Z"',
    ],
    [
      'a date and time without an offset, as UTC',
      'meta.created lt "2026-01-31T12:00:00.5"',
      'meta.created lt "2026-01-31T12:00:00.500Z"',
    ],
    ['a date', 'meta.created gt "2026-01-31"', 'meta.created gt "2026-01-31T00:00:00.000Z"'],
    ['the id', 'id eq "2819c223"', 'id eq "2819c223"'],
    ['Entra: the external id', 'externalId eq "x"', 'externalId eq "x"'],
    ['several spaces', '  userName   eq  "x"  ', 'userName eq "x"'],
  ])('parses %s', (_what, text, expected) => {
    expect(normalised(text)).toBe(expected);
  });

  it('marks which attributes are case-sensitive', () => {
    const exactness = (text: string) =>
      (read(text) as { attribute: { caseExact: boolean } }).attribute.caseExact;
    expect(exactness('userName pr')).toBe(false);
    expect(exactness('externalId pr')).toBe(true);
    expect(exactness('id pr')).toBe(true);
    expect(exactness('roles.value pr')).toBe(true);
  });

  it('evaluates conditions on schemas and meta, which follow from the resource type', () => {
    expect(normalised(`schemas eq "${CORE}"`)).toBe('id pr');
    expect(normalised(`schemas eq "${ENTERPRISE}"`)).toBe(`${ENTERPRISE} pr`);
    expect(normalised('schemas eq "urn:other"')).toBe('not (id pr)');
    expect(normalised(`schemas ne "${CORE}"`)).toBe('not (id pr)');
    expect(normalised('schemas pr')).toBe('id pr');
    expect(normalised('meta pr')).toBe('id pr');
    expect(normalised('not (meta pr)')).toBe('not (id pr)');
    expect(normalised('meta.resourceType eq "User"')).toBe('id pr');
    expect(normalised('meta[resourceType eq "Group"]')).toBe('not (id pr)');
  });

  it.each([
    ['', 1, 'expected an attribute'],
    ['userName', 9, 'expected an operator'],
    ['userName eq', 12, 'expected a value'],
    ['userName eq bare', 13, 'found "bare"'],
    ['userName eq "x" and', 20, 'expected an attribute'],
    ['userName eq "x" title pr', 17, 'expected and, or, or the end'],
    ['eq "x"', 1, '"eq" is not an attribute of User'],
    ['and', 1, '"and" is not an attribute of User'],
    ['userName xx "y"', 10, 'expected an operator'],
    ['userName np', 10, 'expected an operator'],
    ['userName eq "abc', 13, 'no closing quote'],
    ['userName eq "a\\', 13, 'no closing quote'],
    ['userName eq "\\x"', 13, 'not a valid JSON string'],
    ['userName eq "\\ud800"', 13, 'not a valid JSON string'],
    ['userName eq "\\u0000"', 13, 'not a valid JSON string'],
    ['userName eq \u00a0"x"', 13, 'words must be separated by spaces'],
    ['userName eq 5', 13, 'expected a string in double quotes'],
    ['active eq 1', 11, 'expected true or false'],
    ['active gt true', 1, 'gt cannot compare "active"'],
    ['active co "true"', 1, 'co cannot compare "active"'],
    ['meta.created co "2026-01-31"', 1, 'co cannot compare'],
    ['meta.created gt "yesterday"', 17, 'expected a date and time'],
    ['meta.created gt "2026-13-31"', 17, 'expected a date and time'],
    ['userName gt null', 1, 'gt cannot compare'],
    ['name eq "x"', 1, 'such as name.formatted'],
    ['emails[type eq', 15, 'expected a value'],
    ['emails[type eq "work"', 22, 'expected and, or, or "]"'],
    ['emails[]', 8, 'expected an attribute'],
    ['emails[foo eq "x"]', 8, '"foo" is not an attribute of emails'],
    ['emails[type eq "work"].foo eq "x"', 24, '"foo" is not an attribute of emails'],
    ['userName[value eq "x"]', 1, 'has no sub-attributes'],
    ['(userName pr', 13, 'expected and, or, or ")"'],
    ['userName pr)', 12, 'expected and, or, or the end'],
    ['not userName pr', 1, '"not" is not an attribute'],
    ['password pr', 1, 'it is never stored'],
    ['groups.$ref eq "x"', 1, 'groups.value instead'],
    ['groups[$ref eq "x"]', 8, 'groups.value instead'],
    ['groups.display co "x"', 1, 'co cannot compare'],
    ['meta[location eq "x"]', 6, 'filter by id'],
    ['meta.version eq "x"', 1, 'If-None-Match'],
    ['schemas co "urn"', 1, 'only supports eq and ne'],
    ['constructor.keys eq "x"', 1, 'is not an attribute of User'],
    ['hasOwnProperty.call eq "x"', 1, 'is not an attribute of User'],
    ['name.__proto__.polluted eq "x"', 1, 'is not an attribute of User'],
    ['emails[valueOf.x eq 1]', 8, 'is not an attribute of emails'],
    ['__proto__ pr', 1, 'is not an attribute of User'],
    [`${ENTERPRISE}:foo pr`, 1, 'is not an attribute of User'],
    ['urn:other:userName pr', 1, 'is not an attribute of User'],
  ])('refuses %s with the position and the reason', (text, at, what) => {
    const refusal = refusalOf(text);
    expect(refusal.code).toBe('INVALID_FILTER');
    expect(refusal.message).toContain(`at character ${at}:`);
    expect(refusal.message).toContain(what);
  });

  it('truncates long words in messages', () => {
    expect(refusalOf('x'.repeat(5000)).message.length).toBeLessThan(200);
  });

  it('accepts at most 100 conditions', () => {
    const terms = (count: number) => Array.from({ length: count }, () => 'title pr').join(' or ');
    expect(read(terms(100)).kind).toBe('or');
    expect(refusalOf(terms(101)).message).toContain('at most 100 conditions');
  });

  it('accepts 100 ids', () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const text = Array.from({ length: 100 }, () => `id eq "${id}"`).join(' or ');
    expect(read(text).kind).toBe('or');
  });

  it('accepts at most 20 levels of nesting', () => {
    const nest = (depth: number) => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`;
    expect(normalised(nest(20))).toBe('title pr');
    expect(refusalOf(nest(21)).message).toContain('20 levels');
    expect(refusalOf('not ('.repeat(500)).message).toContain('20 levels');
  });

  it('accepts at most 8,192 characters', () => {
    const text = (length: number) => `title eq "${'a'.repeat(length - 11)}"`;
    expect(read(text(8192)).kind).toBe('compare');
    expect(refusalOf(text(8193)).message).toContain('8192 characters');
  });

  it('parses the text of a filter as an equal filter', () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((each) => !/\p{Cc}/u.test(each));
    // `primary eq false` is read as "not (primary eq true)".
    const filters = userFilter(text).filter(
      (each) => !/primary (eq|ne) false/.test(printFilter(each)),
    );
    fc.assert(
      fc.property(filters, (filter) => {
        expect(read(printFilter(filter))).toEqual(filter);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('parses or refuses any text as quickly as an ordinary filter', async () => {
    const parts = fc.constantFrom(
      ...[
        'userName',
        'emails',
        '[',
        ']',
        '(',
        ')',
        '"',
        '\\',
        ' ',
        'and',
        'or',
        'not',
        'eq',
        'pr',
        'co',
      ],
      ...[
        '.',
        ':',
        'true',
        'null',
        '1e400',
        '-0',
        '__proto__',
        'constructor',
        '\u0000',
        '\ud800',
        'urn:',
      ],
    );
    const garbage = fc.oneof(
      fc.array(parts, { maxLength: 200 }).map((all) => all.join('')),
      fc.array(parts, { maxLength: 200 }).map((all) => all.join(' ')),
      fc.string({ unit: 'binary', maxLength: 300 }),
    );
    const texts = fc.sample(garbage, propertyRuns(2000));
    const readAll = (all: readonly string[]): void => {
      for (const text of all)
        try {
          read(text);
        } catch (error) {
          expect(error, text).toBeInstanceOf(RefusalError);
        }
    };
    const ordinary = texts.map(({ length }) => `userName eq "${'a'.repeat(length)}"`);
    await expectQuick(
      () => readAll(texts),
      () => readAll(ordinary),
    );
  });

  it.each([
    ['an unclosed quote before line breaks', `userName eq "${'\n'.repeat(8000)}`],
    ['an unclosed quote before backslashes', `userName eq "${'\\'.repeat(8001)}`],
    ['many escaped quotes', `userName eq "${'\\"'.repeat(4000)}`],
    ['unclosed brackets', 'emails['.repeat(1000)],
    ['unclosed parentheses', '('.repeat(8000)],
    ['one long word', 'a.'.repeat(4000)],
    ['one long URN', 'urn:'.repeat(2000)],
  ])('quickly refuses %s', async (_what, text) => {
    await expectQuick(() => expect(refusalOf(text).code).toBe('INVALID_FILTER'));
  });
});
