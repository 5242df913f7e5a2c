import { afterEach, expect, it } from 'vitest';
import {
  type ConnectionPools,
  createConnectionPools,
} from '../../src/plugin/outbound/connection-pools.js';

let pools: ConnectionPools;
let connectors = 0;

const open = (capacity: number): void => {
  connectors = 0;
  pools = createConnectionPools(() => {
    connectors += 1;
    return () => undefined;
  }, capacity);
};
afterEach(() => pools.close());

it('keeps one pool, with a connector of its own, for each owner and origin', () => {
  open(10);
  const one = pools.get('acme', 'https://a.test');
  expect(pools.get('acme', 'https://a.test')).toBe(one);
  expect(pools.get('other', 'https://a.test')).not.toBe(one);
  expect(pools.get('acme', 'https://b.test')).not.toBe(one);
  expect(connectors).toBe(3);
});

it('closes the least recently used pool', () => {
  open(2);
  const one = pools.get('acme', 'https://a.test');
  const two = pools.get('acme', 'https://b.test');
  pools.get('acme', 'https://a.test');
  pools.get('acme', 'https://c.test');
  expect([one.closed, two.closed]).toEqual([false, true]);
  expect(pools.get('acme', 'https://a.test')).toBe(one);
  expect(pools.get('acme', 'https://b.test')).not.toBe(two);
});

it('closes all pools, those that are leaving too', async () => {
  open(1);
  const one = pools.get('acme', 'https://a.test');
  const two = pools.get('acme', 'https://b.test');
  await pools.close();
  expect([one.destroyed, two.destroyed]).toEqual([true, true]);
});
