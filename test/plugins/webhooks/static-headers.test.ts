import { describe, expect, it } from 'vitest';
import {
  mergeHeaders,
  StaticHeaderChanges,
  StaticHeaders,
} from '../../../plugins/webhooks/registration.js';

describe('headers of a registration', () => {
  it.each(['Authorization', 'X-Api-Key', 'cookie', 'Accept', "!#$%&'*+.^_`|~-1"])(
    'may be %s',
    (name) => {
      expect(StaticHeaders.safeParse({ [name]: 'a b' }).success).toBe(true);
    },
  );

  it.each([
    ...['Host', 'CONNECTION', 'Keep-Alive', 'Proxy-Authorization', 'TE', 'Trailer', 'Upgrade'],
    ...['Transfer-Encoding', 'Content-Type', 'content-length', 'User-Agent', 'Expect', 'Date'],
    ...['X-Service-Signature', 'x-service-anything', 'Webhook-Id', 'Accept-Encoding', 'Via'],
    ...['', 'two words', 'colon:', 'ümlaut', 'x'.repeat(65), 'line\nbreak'],
  ])('may not be "%s"', (name) => {
    expect(StaticHeaders.safeParse({ [name]: 'value' }).success).toBe(false);
  });

  it.each(['', ' ', ' a', 'a ', 'a\r\nb: c', 'a\0', 'ü', 'x'.repeat(2_049), 1, null, ['a']])(
    'may not have the value %j',
    (value) => {
      expect(StaticHeaders.safeParse({ 'x-key': value }).success).toBe(false);
    },
  );

  it('are named once, in whichever case, and are ten at most', () => {
    expect(StaticHeaders.safeParse({ 'X-Key': 'a', 'x-key': 'b' }).success).toBe(false);
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v']));
    expect(StaticHeaders.safeParse(many(10)).success).toBe(true);
    expect(StaticHeaders.safeParse(many(11)).success).toBe(false);
  });

  it('are taken away by null in a change alone', () => {
    expect(StaticHeaderChanges.safeParse({ 'x-key': null }).success).toBe(true);
    expect(StaticHeaderChanges.safeParse({ host: null }).success).toBe(false);
  });

  it('are merged by name, in whichever case', () => {
    const before = [
      { name: 'X-One', value: '1' },
      { name: 'X-Two', value: '2' },
    ];
    expect(mergeHeaders(before, { 'x-one': null, 'x-two': '3', 'X-New': '4' })).toEqual([
      { name: 'x-two', value: '3' },
      { name: 'X-New', value: '4' },
    ]);
    expect(mergeHeaders(before, {})).toEqual(before);
  });
});
