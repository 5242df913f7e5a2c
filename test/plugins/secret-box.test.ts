import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';

const KEY = randomBytes(32);
const box = createSecretBox(KEY);

/** The text with one character of one part changed to another of the same alphabet. */
const alter = (sealed: string, part: number): string => {
  const parts = sealed.split('.');
  const old = parts[part]!;
  parts[part] = (old.startsWith('A') ? 'B' : 'A') + old.slice(1);
  return parts.join('.');
};

describe('a secret box', () => {
  it('opens what it sealed, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        expect(box.unseal(box.seal(plain))).toBe(plain);
      }),
    );
  });

  it('seals a text differently each time, and reveals nothing of it', () => {
    const sealed = [box.seal('a secret of mine'), box.seal('a secret of mine')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed.join()).not.toContain(Buffer.from('a secret').toString('base64url'));
  });

  it('writes the form, the name of the key, the nonce, and the text with its tag', () => {
    const name = createHash('sha256').update(KEY).digest('hex').slice(0, 8);
    expect(box.seal('x')).toMatch(new RegExp(`^v1\\.${name}\\.[\\w-]{16}\\.[\\w-]{23}$`));
  });

  it('opens a text from another process that has the same key', () => {
    expect(createSecretBox(Uint8Array.from(KEY)).unseal(box.seal('shared'))).toBe('shared');
  });

  it('names both keys if the text was sealed with another', () => {
    const other = createSecretBox(randomBytes(32)).seal('x');
    const [, otherName] = other.split('.');
    const [, name] = box.seal('x').split('.');
    expect(() => box.unseal(other)).toThrow(
      `It was sealed with the key ${otherName!}; this gateway has ${name!}.`,
    );
  });

  it.each([
    ['nonce', 2],
    ['text', 3],
  ])('refuses a text whose %s was altered', (_what, part) => {
    expect(() => box.unseal(alter(box.seal('a secret'), part))).toThrow(
      'The sealed text is damaged.',
    );
  });

  it('refuses a tag that was cut short, though it is right as far as it goes', () => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce, { authTagLength: 4 });
    cipher.final();
    const [form, name] = box.seal('').split('.');
    const forged = [
      form,
      name,
      nonce.toString('base64url'),
      cipher.getAuthTag().toString('base64url'),
    ];
    expect(() => box.unseal(forged.join('.'))).toThrow('The sealed text is damaged.');
  });

  it.each(['', 'plain text', 'v2.00000000.AAAA.AAAA', 'v1', 'v1.'])(
    'refuses %j, which it never sealed',
    (text) => {
      expect(() => box.unseal(text)).toThrow(/Not a text sealed|sealed with the key/);
    },
  );

  it.each([0, 16, 31, 33])('refuses a key of %i bytes', (length) => {
    expect(() => createSecretBox(randomBytes(length))).toThrow(RangeError);
  });
});
