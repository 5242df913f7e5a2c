import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../src/domain/kernel/refusals.js';
import { isNotModified, readPrecondition } from '../../src/http/conditional.js';

describe('the precondition of a write', () => {
  it.each([
    ['W/"1"', [1]],
    ['"1"', [1]],
    [' * ', '*'],
    ['W/"7", "1"', [7, 1]],
    ['"some-hash"', []],
    ['"01"', []],
    ['"1.0"', []],
    ['W/"', []],
    ['""', []],
  ])('If-Match: %s requires %j', (tag, expected) => {
    expect(readPrecondition({ 'if-match': tag })).toEqual(expected);
  });

  it.each([
    ['*', undefined, []],
    ['"7", "1"', undefined, { noneOf: [7, 1] }],
    ['"1"', '*', { noneOf: [1] }],
    ['"1"', '"1", "2"', [2]],
  ])('If-None-Match: %s, beside If-Match: %s, requires %j', (unwanted, wanted, expected) => {
    const headers = { 'if-none-match': unwanted, ...(wanted && { 'if-match': wanted }) };
    expect(readPrecondition(headers)).toEqual(expected);
  });

  it('is none without a header', () => {
    expect(readPrecondition({})).toBeUndefined();
  });
});

describe('a read', () => {
  const read = (headers: Record<string, string>, method = 'GET') =>
    isNotModified({ method, headers }, 1);

  it.each([
    ['W/"1"', true],
    ['"1"', true],
    ['*', true],
    ['"x", W/"1"', true],
    ['W/"2"', false],
    ['""', false],
    ['"01"', false],
  ])('with If-None-Match: %s is 304: %j', (tag, is304) => {
    expect(read({ 'if-none-match': tag })).toBe(is304);
    expect(read({ 'if-none-match': tag }, 'PATCH')).toBe(false);
  });

  it('is refused for another version in If-Match', () => {
    expect(read({ 'if-match': '"1"' })).toBe(false);
    expect(() => read({ 'if-match': '"2"' })).toThrow(RefusalError);
  });
});
