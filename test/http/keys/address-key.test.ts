import { describe, expect, it } from 'vitest';
import { addressKeyOf } from '../../../src/http/keys/address-key.js';

describe('addressKeyOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['not an address', 'unknown'],
    [undefined, 'unknown'],
  ])('counts %s under %s', (address, key) => {
    expect(addressKeyOf(address)).toBe(key);
  });
});
