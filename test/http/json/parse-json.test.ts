import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/domain/in-pieces.js';
import { RefusalError } from '../../../src/domain/refusals.js';
import { NATIVE_RULES, parseJson, SCIM_RULES } from '../../../src/http/json/parse-json.js';
import { cpuMs } from '../../support/cpu-time.js';

/** The code of the refusal, or the value. */
const outcomeOf = (text: string, rules = NATIVE_RULES): unknown => {
  try {
    return atOnce(parseJson(text, rules));
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return error.refusal.code;
  }
};

const refusalOf = (text: string) => {
  try {
    atOnce(parseJson(text, NATIVE_RULES));
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

  it('leaves reserved names to the guard of SCIM where those rules are used', () => {
    expect(outcomeOf('{"constructor":1}', SCIM_RULES)).toEqual({ constructor: 1 });
  });

  it('says where in the body the fault is', () => {
    const refusal = refusalOf(String.raw`{"members":[{"name":"ok"},{"name":"\u0007"}]}`);
    expect(refusal.details).toEqual([
      { path: 'members[1].name', message: 'control characters are not allowed' },
    ]);
    expect(refusalOf('{"a":[0,{"b":1,"b":2}]}').message).toContain('"a[1].b" twice');
  });

  it.each([
    ['arrays', '['.repeat(400_000)],
    ['objects', '{"a":'.repeat(100_000)],
  ])('refuses bottomless nesting of %s in less than 50 ms', (_kind, text) => {
    const start = cpuMs();
    expect(outcomeOf(text)).toBe('INVALID_JSON');
    expect(cpuMs() - start).toBeLessThan(50);
  });

  it.each([
    ['backslashes', `"${'\\'.repeat(1_000_000)}`],
    ['quotes', '"'.repeat(1_000_000)],
    ['keys', `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join()}}`],
    ['closing brackets', ']'.repeat(1_000_000)],
  ])('takes linear time over a megabyte of %s', (_kind, text) => {
    const start = cpuMs();
    outcomeOf(text);
    expect(cpuMs() - start).toBeLessThan(1_000);
  });
});

/** Whether the value, written with `JSON.stringify`, breaks one of our own rules. */
const isScreened = (value: unknown, depth = 1): boolean => {
  if (typeof value === 'string') return !value.isWellFormed() || /(?![\t\n\r])\p{Cc}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 32) return true;
  const reserved = ['__proto__', 'constructor', 'prototype'];
  return Object.entries(value).some(
    ([key, inner]) =>
      (!Array.isArray(value) && (reserved.includes(key) || isScreened(key))) ||
      isScreened(inner, depth + 1),
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
  it('gives what JSON.parse gives of every value that breaks no rule, and refuses all others', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const outcome = outcomeOf(text);
        if (isScreened(JSON.parse(text))) expect(outcome).toBe('INVALID_REQUEST');
        else expect(outcome).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never accepts text that JSON.parse refuses, and changes no value that it accepts', () => {
    const token = fc.constantFrom(
      ...'{}[]:,"\\'.split(''),
      ...['"a"', '"b"', String.raw`"\u0061"`, '1', 'null', 'true', ' ', '"a":', '-', 'e', 'x'],
    );
    const text = fc.array(token, { maxLength: 24 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(text, (json) => {
        const outcome = outcomeOf(json);
        const judged = codeOrValue(json);
        // What we refuse beyond JSON.parse, this alphabet can only do by naming a key twice.
        if (outcome !== 'INVALID_JSON') expect(outcome).toEqual(judged);
        else if (judged !== 'INVALID_JSON') expect(namesTwice(json)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  it('refuses an object that names any key twice, however the key is written', () => {
    const key = fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !isScreened(text));
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

/** Counts the members that a text gives against those that are left of it. */
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
