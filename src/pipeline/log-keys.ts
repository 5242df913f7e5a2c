import { fold } from '../domain/fold.js';
import { maskNumbersIn } from '../domain/mask-number.js';

/**
 * What lines of the provisioning log are found by, all in one index: a line has few of these, and
 * the log is written in every commit. A letter says what sort of key it is.
 */

/** A name as lines are found by it: without regard to case, and with no phone number in it. */
const named = (text: string): string => fold(maskNumbersIn(text)).slice(0, 256);

/** By the id or the name of what the command was about. */
export const subjectKey = (text: string): string => `s:${named(text)}`;
/** By the id of what else it changed. */
export const affectedKey = (id: string): string => `u:${id}`;
/** By the id of a key, or by `operator:<name>` and the like. */
export const actorKey = (text: string): string => `a:${named(text.replace(/^api-key:/, ''))}`;
export const requestKey = (requestId: string): string => `r:${requestId}`;
/** By an outcome that is not the usual one. */
export const outcomeKey = (outcome: string): string => `o:${outcome}`;
/** By an interface that is seldom used. */
export const sourceKey = (source: string): string => `i:${source}`;

/** Most lines are of these: they are found by walking along the log, and cost no key. */
const USUAL = new Set(['applied', 'scim', 'rest']);

export const isUsual = (outcomeOrSource: string): boolean => USUAL.has(outcomeOrSource);
