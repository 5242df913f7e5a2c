import type { IfMatch } from '../../src/plugin/api.js';
import type { LastTriggerStatus } from './presentation.js';

const STATUS_DIGITS = { success: 1, failed: 2 } as const;

/**
 * The version that a registration's entity tag is made of. Its settings are versioned, its last
 * outcome is not, yet both are shown: a 304 after the outcome changed would hide it. So the last
 * digit stands for the outcome, and what is before it for the settings.
 */
export const tagVersion = (version: number, status: LastTriggerStatus | null): number =>
  version * 10 + (status === null ? 0 : STATUS_DIGITS[status]);

const ofSettings = (tags: readonly number[]): readonly number[] =>
  tags.map((tag) => Math.floor(tag / 10));

/** The versions of the settings that a precondition names: a delivery in between is no conflict. */
export const settingsVersions = (ifMatch: IfMatch): IfMatch => {
  if (ifMatch === '*') return ifMatch;
  return 'noneOf' in ifMatch ? { noneOf: ofSettings(ifMatch.noneOf) } : ofSettings(ifMatch);
};
