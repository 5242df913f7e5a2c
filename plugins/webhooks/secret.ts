import { randomBytes } from 'node:crypto';
import { createLruMap, type SecretBox } from '../../src/plugin/index.js';
import { keysOf, type SigningKeys } from './signature.js';

/** decisions.md 7: standard base64 with padding, so that the Standard Webhooks libraries take it. */
export const generateSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** How many registrations' keys are kept in memory: the busy ones, not all there are. */
const MOST_KEYS = 1_000;

/**
 * The keys of sealed secrets, opened once for many deliveries. Throws where a secret was sealed
 * under another key of the gateway.
 */
export const createKeyRing = (
  secrets: SecretBox,
  capacity = MOST_KEYS,
): ((sealed: string) => SigningKeys) => {
  const opened = createLruMap<string, SigningKeys>(capacity);
  return (sealed) => {
    const known = opened.get(sealed);
    if (known) return known;
    const keys = keysOf(secrets.unseal(sealed));
    opened.set(sealed, keys);
    return keys;
  };
};
