import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type SecretBox, type SigningKeys, signingKeysOf } from '../../src/plugin/api.js';
import { z } from 'zod';

/** For the command that sends test deliveries. */
export { signingKeysOf } from '../../src/plugin/api.js';

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
): ((sealed: string) => SigningKeys) => createOpener(secrets, signingKeysOf, capacity);

/** The values of sealed headers, and the queries of addresses. */
export const createTextOpener = (secrets: SecretBox): ((sealed: string) => string) =>
  createOpener(secrets, (plain) => plain, MAX_CACHED);

/** A secret of before, which signs too until then (decisions.md 7). Sealed. */
export const PreviousSecret = z.object({ secret: z.string(), until: z.iso.datetime() });

/** A secret that takes over then, and signs beside the current one before. Sealed. */
export const NextSecret = z.object({ secret: z.string(), from: z.iso.datetime() });

/** The secrets of a registration, as it keeps them. */
interface SigningSecrets {
  readonly secret: string;
  /** Newest first. */
  readonly previous: readonly z.output<typeof PreviousSecret>[];
  readonly next: z.output<typeof NextSecret> | null;
}

/** Replaced secrets that sign at once: more rotations than that in an overlap drop the oldest. */
const MAX_PREVIOUS = 5;

/** As they stand at this time: what has ended is gone, and what was to take over has. */
export const secretsAt = ({ secret, previous, next }: SigningSecrets, at: Date): SigningSecrets => {
  const isSwitched = next !== null && Date.parse(next.from) <= at.getTime();
  return {
    secret: isSwitched ? next.secret : secret,
    previous: previous.filter(({ until }) => Date.parse(until) > at.getTime()),
    next: isSwitched ? null : next,
  };
};

/** When the new secret signs `X-Service-Signature`. */
export const SWITCHES = ['now', 'after_overlap'] as const;

interface Rotation {
  readonly secret: string;
  /** How long the others sign on; 0: from now on the new one signs alone. */
  readonly overlapMs: number;
  readonly switch: (typeof SWITCHES)[number];
}

/**
 * What a rotation makes of them. One that was to take over, and is overtaken by this rotation, signs
 * on as a previous one: a receiver may have it already.
 */
export const rotate = (secrets: SigningSecrets, rotation: Rotation, now: Date): SigningSecrets => {
  const { secret, overlapMs } = rotation;
  if (overlapMs === 0) return { secret, previous: [], next: null };
  const { secret: current, previous, next } = secretsAt(secrets, now);
  const end = new Date(now.getTime() + overlapMs).toISOString();
  const superseded = next === null ? [] : [{ secret: next.secret, until: end }];
  if (rotation.switch === 'after_overlap')
    return {
      secret: current,
      previous: [...superseded, ...previous].slice(0, MAX_PREVIOUS),
      next: { secret, from: end },
    };
  const replaced = [...superseded, { secret: current, until: end }, ...previous];
  return { secret, previous: replaced.slice(0, MAX_PREVIOUS), next: null };
};
