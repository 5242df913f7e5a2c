import { fold } from '../domain/kernel/fold.js';
import { maskNumbersIn } from '../domain/kernel/mask-number.js';

/**
 * Search keys of the provisioning log, all in one index: an entry has few of them, because the log is
 * written in every commit. The prefix is the kind of key.
 */

/** Case-insensitive, without phone numbers. */
const normalise = (text: string): string => fold(maskNumbersIn(text)).slice(0, 256);

/** Id or name of the subject. */
export const subjectKey = (text: string): string => `s:${normalise(text)}`;
/** Id of an affected resource. */
export const affectedKey = (id: string): string => `u:${id}`;
/** Id of an API key, `operator:<name>` or the like. */
export const actorKey = (text: string): string => `a:${normalise(text.replace(/^api-key:/, ''))}`;
export const requestKey = (requestId: string): string => `r:${requestId}`;
export const outcomeKey = (outcome: string): string => `o:${outcome}`;
export const sourceKey = (source: string): string => `i:${source}`;

/** A step of connecting an identity provider with an API key, done or refused (setup-marks.ts). */
export const setupKey = (step: string, keyId: string, isDone: boolean): string =>
  `${isDone ? 'd' : 'e'}:${step}:${keyId}`;

/** Outcomes and sources that most entries have. They get no key: a search scans the log for them. */
const USUAL = new Set(['applied', 'scim', 'rest']);

export const isUnindexed = (outcomeOrSource: string): boolean => USUAL.has(outcomeOrSource);
