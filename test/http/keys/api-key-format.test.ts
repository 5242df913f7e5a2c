import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isApiKey, generateApiKey } from '../../../src/http/access/credentials.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('makeApiKey', () => {
  it('generates keys of the documented format with their SHA-256', () => {
    const { key, prefix, hash } = generateApiKey();
    expect(key).toMatch(/^rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(prefix).toBe(key.slice(0, 11));
    expect(hash).toBe(createHash('sha256').update(key).digest('hex'));
  });

  it('generates no key twice, with evenly distributed characters', () => {
    const keys = Array.from({ length: 500 }, () => generateApiKey().key);
    expect(new Set(keys).size).toBe(500);
    const counts = new Map(Array.from(ALPHABET, (sign) => [sign, 0]));
    for (const key of keys)
      for (const sign of key.slice(12, 44)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
    // 16,000 draws of 62: 258 each on the average, 6 sigma is 96.
    for (const count of counts.values()) expect(Math.abs(count - 258)).toBeLessThan(96);
  });
});

describe('isApiKey', () => {
  it('accepts generated keys', () => {
    for (let made = 0; made < 100; made += 1) expect(isApiKey(generateApiKey().key)).toBe(true);
  });

  it('accepts this key, so that the checksum does not change unnoticed', () => {
    expect(isApiKey('rg_00000000_000000000000000000000000000000003q9eOj')).toBe(true);
  });

  it('refuses a key with any one character changed', () => {
    const { key } = generateApiKey();
    const place = fc.nat(key.length - 1).filter((at) => at > 2 && at !== 11);
    fc.assert(
      fc.property(place, fc.constantFrom(...ALPHABET.split('')), (at, sign) => {
        fc.pre(key[at] !== sign);
        expect(isApiKey(key.slice(0, at) + sign + key.slice(at + 1))).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses other formats', () => {
    const { key } = generateApiKey();
    for (const text of [
      '',
      'rg_',
      key.slice(1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.replace('rg_', 'sk_'),
    ])
      expect(isApiKey(text)).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !isApiKey(text)));
  });
});
