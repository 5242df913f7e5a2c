import { describe, expect, it } from 'vitest';
import type { SmsListId } from '../../src/domain/kernel/ids.js';
import { createNumberVault } from '../../src/sms/phone-numbers.js';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';
import { idOf } from '../support/builders.js';
import { numberOf } from '../support/sms.js';

const vaultUnder = (byte: number) => {
  const secretKey = Buffer.alloc(32, byte);
  return createNumberVault({ secrets: createSecretBox(secretKey), secretKey });
};

const [list, other] = [1, 2].map((number) => idOf<SmsListId>(number)) as [SmsListId, SmsListId];
const number = numberOf(7);

describe('the number vault', () => {
  it('reveals a sealed number; the sealed form does not contain it', () => {
    const vault = vaultUnder(1);
    const sealed = vault.seal(list, number);
    expect(vault.reveal(sealed)).toBe(number);
    expect(JSON.stringify(sealed)).not.toContain(number.slice(1));
  });

  it('derives a stable key from list and number, although each sealing differs', () => {
    const [vault, another] = [vaultUnder(1), vaultUnder(1)];
    const [one, two] = [vault.seal(list, number), another.seal(list, number)];
    expect(two.key).toBe(one.key);
    expect(two.sealed).not.toBe(one.sealed);
    expect(vault.keyOf(list, number)).toBe(one.key);
  });

  it('derives different keys for different lists and secret keys', () => {
    const vault = vaultUnder(1);
    expect(vault.keyOf(other, number)).not.toBe(vault.keyOf(list, number));
    expect(vaultUnder(2).keyOf(list, number)).not.toBe(vault.keyOf(list, number));
    expect(() => vaultUnder(2).reveal(vault.seal(list, number))).toThrow('sealed with the key');
  });
});
