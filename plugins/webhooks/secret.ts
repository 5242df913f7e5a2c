import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../../src/plugin/api.js';
import { keysOf, type SigningKeys } from './signature.js';

/** decisions.md 7: standard base64 with padding, so that the Standard Webhooks libraries take it. */
export const generateSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** How many secrets are kept open in memory: the busy registrations', not all there are. */
const MAX_CACHED = 1_000;

/**
 * What sealed texts say, opened once for many deliveries. Throws where one was sealed under another
 * key of the gateway.
 */
const createOpener = <Opened extends object | string>(
  { unseal }: Pick<SecretBox, 'unseal'>,
  read: (plain: string) => Opened,
  capacity: number,
): ((sealed: string) => Opened) => {
  const opened = new LRUCache<string, Opened>({
    max: capacity,
    memoMethod: (sealed) => read(unseal(sealed)),
  });
  return (sealed) => opened.memo(sealed);
};

/** The keys of sealed secrets. */
export const createKeyRing = (
  secrets: SecretBox,
  capacity = MAX_CACHED,
): ((sealed: string) => SigningKeys) => createOpener(secrets, keysOf, capacity);

/** The values of sealed headers, and the queries of addresses. */
export const createTextOpener = (secrets: SecretBox): ((sealed: string) => string) =>
  createOpener(secrets, (plain) => plain, MAX_CACHED);
