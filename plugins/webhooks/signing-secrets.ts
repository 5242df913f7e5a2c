import { z } from 'zod';

/** A secret of before, which signs too until then (decisions.md 7). Sealed. */
export const PreviousSecret = z.object({ secret: z.string(), until: z.iso.datetime() });

/** A secret that takes over then, and signs beside the current one before. Sealed. */
export const NextSecret = z.object({ secret: z.string(), from: z.iso.datetime() });

/** The secrets of a registration, as it keeps them. */
export interface SigningSecrets {
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

export interface Rotation {
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
