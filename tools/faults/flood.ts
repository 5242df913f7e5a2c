import { createApiClient } from '../shared/api-client.js';
import { serveMethods } from '../shared/child.js';

/** A tenant that sends more creates than the gateway can commit. */
export interface FloodMethods {
  /** Resolves when all concurrent requests have been sent. */
  readonly start: (flood: Flood) => Promise<void>;
  /** Resolves with the creates per second, when every request has its response. */
  readonly stop: (params: undefined) => Promise<number>;
}

export interface Flood {
  readonly gateway: string;
  readonly tenant: { readonly slug: string; readonly key: string };
  readonly concurrency: number;
}

/*
 * Runs in a process of its own, so that the responses to the flood do not delay those of the
 * measured tenant.
 */
let floods = 0;
let isStopped = false;
let flooding: Promise<number> = Promise.resolve(0);

const flood = async (
  { gateway, tenant: { slug, key }, concurrency }: Flood,
  onFull: () => void,
): Promise<number> => {
  const client = createApiClient(() => `${gateway}/v1/${slug}`, key);
  const prefix = `flood-${(floods += 1)}`;
  let created = 0;
  const createUsers = async (_: unknown, index: number): Promise<void> => {
    for (let number = 0; !isStopped; number += 1) {
      const email = `${prefix}-${index}-${number}@example.com`;
      await client.expect(201, 'POST', '/users', { email });
      created += 1;
      if (created === concurrency) onFull();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, createUsers));
  return (created * 1_000) / (performance.now() - began);
};

serveMethods<FloodMethods>({
  start: (params) =>
    new Promise((resolve, reject) => {
      isStopped = false;
      flooding = flood(params, resolve);
      flooding.catch(reject);
    }),
  stop: () => {
    isStopped = true;
    return flooding;
  },
});
