import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSync } from '../../../src/domain/kernel/chunked.js';
import { RefusalError } from '../../../src/domain/kernel/refusals.js';
import { NATIVE_RULES, parseJson, SCIM_RULES } from '../../../src/http/json/parse-json.js';
import { expectQuick } from '../../support/expect-quick.js';
import { propertyRuns } from '../../support/property-runs.js';

/** The code of the refusal, or the value. */
const outcomeOf = (text: string, rules = NATIVE_RULES): unknown => {
  try {
    return runSync(parseJson(text, rules));
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return error.refusal.code;
  }
};

const refusalOf = (text: string) => {
  try {
    runSync(parseJson(text, NATIVE_RULES));
  } catch (error) {
    return (error as RefusalError).refusal;
  }
  throw new Error('accepted');
};

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
  it.each([
    ['{"a":1,"a":2}', 'INVALID_JSON'],
    [String.raw`{"a":1,"\u0061":2}`, 'INVALID_JSON'],
    ['{"x":{"a":1,"b":[{"c":1,"c":2}]}}', 'INVALID_JSON'],
    ['{"a":{},"a":{}}', 'INVALID_JSON'],
    [nested(33), 'INVALID_JSON'],
    ['{"a":'.repeat(33) + '1' + '}'.repeat(33), 'INVALID_JSON'],
    ['', 'INVALID_JSON'],
    ['{"a":1,}', 'INVALID_JSON'],
    ["{'a':1}", 'INVALID_JSON'],
    ['"unclosed', 'INVALID_JSON'],
    [String.raw`"\x"`, 'INVALID_JSON'],
    [']', 'INVALID_JSON'],
    ['{"a":NaN}', 'INVALID_JSON'],
    [String.raw`{"a":"\u0000"}`, 'INVALID_REQUEST'],
    [String.raw`{"a":"\b"}`, 'INVALID_REQUEST'],
    ['{"a":"\u007f"}', 'INVALID_REQUEST'],
    ['{"a":"\u0085"}', 'INVALID_REQUEST'],
    [String.raw`{"a":"\ud800"}`, 'INVALID_REQUEST'],
    [String.raw`{"a":["ok","\udc00x"]}`, 'INVALID_REQUEST'],
    [String.raw`{"\ud800":1}`, 'INVALID_REQUEST'],
    ['{"__proto__":{"polluted":1}}', 'INVALID_REQUEST'],
    [String.raw`{"\u005f_proto__":1}`, 'INVALID_REQUEST'],
    ['{"a":{"constructor":1}}', 'INVALID_REQUEST'],
    ['[{"prototype":1}]', 'INVALID_REQUEST'],
  ])('refuses %j with %s', (text, code) => {
    expect(outcomeOf(text)).toBe(code);
  });

  it.each([
    [nested(32), JSON.parse(nested(32))],
    ['{"a":{"a":1},"b":{"a":2}}', { a: { a: 1 }, b: { a: 2 } }],
    ['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['{"a":"a","b":"a"}', { a: 'a', b: 'a' }],
    [String.raw`{"a":"tab\tand\r\nlines"}`, { a: 'tab\tand\r\nlines' }],
    [String.raw`"\ud83d\ude80"`, '🚀'],
    [String.raw`{"a":"\\\"{[,"}`, { a: '\\"{[,' }],
    ['{"a":"__proto__"}', { a: '__proto__' }],
    [' [1e400, -0] ', [Infinity, -0]],
  ])('accepts %j', (text, value) => {
    expect(outcomeOf(text)).toEqual(value);
  });

  it('accepts reserved names with the SCIM rules, as SCIM has its own check', () => {
    expect(outcomeOf('{"constructor":1}', SCIM_RULES)).toEqual({ constructor: 1 });
  });

  it('returns the path of the invalid value', () => {
    const refusal = refusalOf(String.raw`{"members":[{"name":"ok"},{"name":"\u0007"}]}`);
    expect(refusal.details).toEqual([
      { path: 'members[1].name', message: 'must not contain control characters' },
    ]);
    expect(refusalOf('{"a":[0,{"b":1,"b":2}]}').message).toContain('"a[1].b" more than once');
  });

  it('repeats no name that may be personal data', () => {
    expect(refusalOf('{"members":[{"+49151":1,"+49151":2}]}').message).toBe(
      'The body has a name more than once in "members[0]".',
    );
    expect(refusalOf('{"+49151":1,"+49151":2}').message).toBe(
      'The body has a name more than once.',
    );
    const refusal = refusalOf(String.raw`{"a":{"+49151":{"b":"\u0007"}}}`);
    expect(refusal.details).toMatchObject([{ path: 'a' }]);
  });

  it.each([
    ['arrays', '['.repeat(400_000)],
    ['objects', '{"a":'.repeat(100_000)],
  ])('quickly refuses deep nesting of %s', async (_kind, text) => {
    await expectQuick(() => expect(outcomeOf(text)).toBe('INVALID_JSON'));
  });

  it.each([
    ['backslashes', `"${'\\'.repeat(1_000_000)}`],
    ['quotes', '"'.repeat(1_000_000)],
    ['keys', `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join()}}`],
    ['closing brackets', ']'.repeat(1_000_000)],
  ])('parses 1 MB of %s in linear time', async (_kind, text) => {
    await expectQuick(() => outcomeOf(text));
  });
});

/** Whether the value breaks one of our own rules. */
const breaksRules = (value: unknown, depth = 1): boolean => {
  if (typeof value === 'string') return !value.isWellFormed() || /(?![\t\n\r])\p{Cc}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 32) return true;
  const reserved = ['__proto__', 'constructor', 'prototype'];
  return Object.entries(value).some(
    ([key, inner]) =>
      (!Array.isArray(value) && (reserved.includes(key) || breaksRules(key))) ||
      breaksRules(inner, depth + 1),
  );
};

const codeOrValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return 'INVALID_JSON';
  }
};

describe('parseJson over arbitrary input', () => {
  it('returns the same as JSON.parse for values within the rules, and refuses all others', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const outcome = outcomeOf(text);
        if (breaksRules(JSON.parse(text))) expect(outcome).toBe('INVALID_REQUEST');
        else expect(outcome).toEqual(JSON.parse(text));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('accepts no text that JSON.parse refuses, and returns the same value for the others', () => {
    const token = fc.constantFrom(
      ...'{}[]:,"\\'.split(''),
      ...['"a"', '"b"', String.raw`"\u0061"`, '1', 'null', 'true', ' ', '"a":', '-', 'e', 'x'],
    );
    const text = fc.array(token, { maxLength: 24 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(text, (json) => {
        const outcome = outcomeOf(json);
        const expected = codeOrValue(json);
        // Of our own rules, this alphabet can only break the one about duplicate names.
        if (outcome !== 'INVALID_JSON') expect(outcome).toEqual(expected);
        else if (expected !== 'INVALID_JSON') expect(namesTwice(json)).toBe(true);
      }),
      { numRuns: propertyRuns(20_000) },
    );
  });

  it('does the same for text that is long enough to be split', () => {
    // Each L becomes a long string, so nearly every comma and bracket is a place to split at.
    const value = fc.jsonValue({ stringUnit: fc.constantFrom('L', 'a', 'b'), maxDepth: 4 });
    const flaw = fc.record({
      at: fc.nat(),
      by: fc.constantFrom('', '', ...'{}[]:,"1 '.split('')),
      isMade: fc.boolean(),
    });
    const text = fc.tuple(value, flaw).map(([given, { at, by, isMade }]) => {
      const json = JSON.stringify(given);
      const place = at % (json.length + 1);
      const flawed = isMade ? json.slice(0, place) + by + json.slice(place + 1) : json;
      return flawed.replaceAll('L', 'x'.repeat(9_000));
    });
    fc.assert(
      fc.property(text, (json) => {
        const [outcome, expected] = [outcomeOf(json), codeOrValue(json)];
        if (outcome !== 'INVALID_JSON') expect(isDeepStrictEqual(outcome, expected)).toBe(true);
        else if (expected !== 'INVALID_JSON') expect(namesTwice(json)).toBe(true);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('refuses duplicate names, with and without escapes', () => {
    const key = fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !breaksRules(text));
    const escape = (text: string): string =>
      `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 6 }), fc.nat(), (keys, pick) => {
        const again = keys[pick % keys.length]!;
        const members = [...keys.map((text) => JSON.stringify(text)), escape(again)];
        const json = `{${members.map((name) => `${name}:0`).join()}}`;
        expect(['INVALID_JSON', 'INVALID_REQUEST']).toContain(outcomeOf(json));
      }),
    );
  });
});

/** Whether JSON.parse drops a duplicate name. */
const namesTwice = (json: string): boolean => {
  let given = 0;
  let left = 0;
  for (const { length } of json.matchAll(/"(?:a|b|\\u0061|)"\s*:|"[^"]*"\s*:/g))
    given += Number(length > 0);
  JSON.parse(json, (_key, value: unknown) => {
    if (value && typeof value === 'object' && !Array.isArray(value))
      left += Object.keys(value).length;
    return value;
  });
  return given > left;
};

/** A text that is long enough to be split. */
const long = (from: (at: number) => string, count = 3_000): string =>
  Array.from({ length: count }, (_, at) => from(at)).join(',');

describe('parseJson over long text', () => {
  it.each([
    ['a list of objects', `[${long((at) => `{"value":"user-${at}"}`)}]`],
    ['a list in an object', `{"a":1,"members":[${long(String)}],"b":{"c":[2]}}`],
    ['a list in a list in an object', `{"a":[0,{"b":[${long(String, 9_000)}]},2,[3]]}`],
    ['long lists next to each other', `[[${long(String)}],[${long(String, 9_000)}] , [],{}]`],
    ['an object of long texts', `{${long((at) => `"n${at}":"${'x'.repeat(100)}"`, 900)}}`],
    [
      'names that are numbers',
      `{"9":[${long(String, 9_000)}],"1":[${long(String, 9_000)}],"a":{}}`,
    ],
    ['blanks', ` \n[ ${long((at) => ` ${at}\t`, 9_000)}\r ] `],
    ['only white space', `{"a":[${' '.repeat(50_000)}],"b":{${' '.repeat(50_000)}}}`],
    ['one text', `{"filter":"${'x'.repeat(100_000)}"}`],
    ['a list in each list', `${`[${long(String)},`.repeat(30)}1${']'.repeat(30)}`],
    ['brackets and commas in texts', `[${long(() => String.raw`"]},[{\"\\"`)}]`],
  ])('returns the same as JSON.parse for %s', (_kind, text) => {
    expect(outcomeOf(text)).toEqual(JSON.parse(text));
  });

  it('keeps the order of names, and defines names of prototypes as own properties', () => {
    const text = `{"b":[${long(String, 9_000)}],"a":1,"__proto__":[${long(String, 9_000)}]}`;
    const value = outcomeOf(text, SCIM_RULES) as object;
    expect(Object.keys(value)).toEqual(['b', 'a', '__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  const [list, members] = [long(String, 9_000), long((at) => `"n${at}":"${'x'.repeat(99)}"`, 900)];
  it.each([
    ['a comma at the end of a list', `[${list},]`],
    ['a comma at the end of an object', `{${members},}`],
    ['a comma after a long value', `{"a":[${list}],}`],
    ['two commas', `[${list},,1]`],
    ['two commas after a long value', `[[${list}],,1]`],
    ['no comma between long values', `[[${list}] [${list}]]`],
    ['no comma after a long value', `[[${list}] 1]`],
    ['no comma before a long value', `[1 [${list}]]`],
    ['no colon before a long value', `{"a" [${list}]}`],
    ['no name before a long value', `{[${list}]}`],
    ['a name in a list', `["a":[${list}]]`],
    ['another bracket', `{"a":[${list}}}`],
    ['another bracket at the end', `[${list}}`],
    ['no end', `{"a":[${list}]`],
    ['more after its end', `[${list}] 1`],
    ['more before it', `1 [${list}]`],
    ['two of them', `[${list}][${list}]`],
    ['a comma before it', `,[${list}]`],
    ['a value cut in two', `{"a":nu[${list}]ll}`],
    ['no JSON in the middle', `[${list},x,${list}]`],
  ])('refuses %s', (_kind, text) => {
    expect(codeOrValue(text)).toBe('INVALID_JSON');
    expect(outcomeOf(text)).toBe('INVALID_JSON');
  });

  it('parses in chunks, regardless of the content', () => {
    const distinct = long((at) => `{${long((name) => `"x${at}-${name}":1`, 100)}}`, 1_000);
    const text = `{"Operations":[${distinct}]}`;
    /** The longest chunk, as a part of the whole. */
    const shareOfLongest = (): number => {
      const times: number[] = [];
      const work = parseJson(text, NATIVE_RULES);
      for (let done = false; !done;) {
        const start = performance.now();
        done = work.next().done === true;
        times.push(performance.now() - start);
      }
      return Math.max(...times) / times.reduce((sum, time) => sum + time, 0);
    };
    // One round of ten is not interrupted by a garbage collection or another process.
    let best = 1;
    for (let round = 0; round < 10 && best > 0.5; round += 1)
      best = Math.min(best, shareOfLongest());
    expect(best).toBeLessThanOrEqual(0.5);
  });
});

describe('the limits of parseJson', () => {
  const objectOf = (names: number): string => `{${long((at) => `"n${at}":1`, names)}}`;
  const refused = (text: string) => refusalOf(text);

  it('are 1,000 names in an object', () => {
    expect(Object.keys(outcomeOf(objectOf(1_000)) as object)).toHaveLength(1_000);
    expect(refused(`{"a":[${objectOf(1_001)}]}`)).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: 'a[0]', message: 'has more than 1000 names' }],
    });
  });

  it.each([
    ['texts', (count: number) => `[${long(() => '""', count - 1)}]`],
    ['empty objects', (count: number) => `[${long(() => '{}', count - 1)}]`],
    ['objects', (count: number) => `[${long(() => '{"a":1}', (count - 1) / 2)}]`],
    ['lists in lists', (count: number) => `[${long(() => '[ [ ] ]', (count - 1) / 2)}]`],
  ])('are 320,000 values: %s', (_kind, textOf) => {
    expect(outcomeOf(textOf(319_999))).toBeInstanceOf(Array);
    expect(outcomeOf(textOf(320_003))).toBe('PAYLOAD_TOO_LARGE');
  });

  it('are checked before anything is built', async () => {
    const text = `[${'{},'.repeat(2_700_000)}{}]`;
    const before = process.memoryUsage().heapUsed;
    expect(outcomeOf(text)).toBe('PAYLOAD_TOO_LARGE');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150e6);
    await expectQuick(
      () => outcomeOf(text),
      () => JSON.parse(text) as unknown,
    );
  });
});
