import { describe, expect, it } from 'vitest';
import { parseUserId } from '../../src/domain/kernel/ids.js';

const ID = '0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59';

describe('parseUserId', () => {
  it('returns a UUID in lower case', () => {
    expect(parseUserId(ID)).toBe(ID);
    expect(parseUserId(ID.toUpperCase())).toBe(ID);
  });

  it.each([
    '',
    'nonsense',
    `{${ID}}`,
    `urn:uuid:${ID}`,
    ID.replaceAll('-', ''),
    `${ID} `,
    `${ID}\n`,
  ])('rejects %j', (text) => {
    expect(parseUserId(text)).toBeUndefined();
  });
});
