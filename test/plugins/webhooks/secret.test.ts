import { describe, expect, it } from 'vitest';
import { createKeyRing, generateSecret } from '../../../plugins/webhooks/signing.js';

it('a generated secret is whsec_ and 32 bytes in standard base64 with padding', () => {
  const secrets = Array.from({ length: 100 }, generateSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(100);
});

describe('the key ring', () => {
  const openWith = (unseal: (sealed: string) => string, capacity?: number) => {
    const opened: string[] = [];
    const ring = createKeyRing(
      {
        seal: (plain) => plain,
        unseal: (sealed) => {
          opened.push(sealed);
          return unseal(sealed);
        },
      },
      capacity,
    );
    return { ring, opened };
  };

  it('opens a secret once for many deliveries', () => {
    const { ring, opened } = openWith((sealed) => `${sealed} opened`);
    expect(ring('one')).toBe(ring('one'));
    expect(ring('two').service.export().toString()).toBe('two opened');
    expect(opened).toEqual(['one', 'two']);
  });

  it('keeps so many keys in memory and no more', () => {
    const { ring, opened } = openWith((sealed) => sealed, 2);
    for (const sealed of ['one', 'two', 'three', 'one']) ring(sealed);
    expect(opened).toEqual(['one', 'two', 'three', 'one']);
  });

  it('passes on that a secret was sealed under another key', () => {
    const { ring } = openWith(() => {
      throw new Error('another key');
    });
    expect(() => ring('one')).toThrow('another key');
  });
});
