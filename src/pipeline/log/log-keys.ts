import { MAX_WORD_LENGTH, nameWords } from '../../domain/kernel/name-words.js';
import { fold, maskNumbersIn } from '../../domain/kernel/names.js';
import type { CommandLogEntry } from '../commit-store.js';

/**
 * Search keys of the provisioning log, all in one index: an entry has few of them, because the log is
 * written in every commit. The prefix is the kind of key.
 */

/** Case-insensitive, without phone numbers. */
const normalise = (text: string): string => fold(maskNumbersIn(text)).slice(0, 256);

/** Id or name of the subject. */
export const subjectKey = (text: string): string => `s:${normalise(text)}`;
/** Ids and names of the subject, in lower case, among search keys. */
export const namesIn = (keys: readonly string[]): readonly string[] =>
  keys.flatMap((key) => (key.startsWith('s:') ? [key.slice(2)] : []));
/** Id of an affected resource. */
export const affectedKey = (id: string): string => `u:${id}`;
/** Id of an API key, `operator:<name>` or the like. */
export const actorKey = (text: string): string => `a:${normalise(text.replace(/^api-key:/, ''))}`;
export const requestKey = (requestId: string): string => `r:${requestId}`;
export const outcomeKey = (outcome: string): string => `o:${outcome}`;
export const sourceKey = (source: string): string => `i:${source}`;

/** Entries with unknown members that were left out. */
export const SKIPPED_KEY = 'k:members';

/** The beginning of any word of a name that a refused command would have given, or a deleted user had. */
export const triedKey = (beginning: string): string =>
  `t:${normalise(beginning).slice(0, MAX_WORD_LENGTH)}`;
export const triedKeys = (names: readonly string[]): readonly string[] =>
  nameWords(names.map(normalise), []).map(triedKey);

/** A step of connecting an identity provider with an API key, done or refused. */
export const setupKey = (step: string, keyId: string, isDone: boolean): string =>
  `${isDone ? 'd' : 'e'}:${step}:${keyId}`;

/** Outcomes and sources that most entries have. They get no key: a search scans the log for them. */
const USUAL = new Set(['applied', 'scim', 'rest']);

export const isUnindexed = (outcomeOrSource: string): boolean => USUAL.has(outcomeOrSource);

/** The steps of connecting an identity provider that are commands. */
export const SETUP_COMMANDS = ['first_user', 'first_group', 'deactivation'] as const;

export type SetupCommand = (typeof SETUP_COMMANDS)[number];

const isApplied = ({ outcome }: CommandLogEntry): boolean => outcome === 'applied';

/** The change of a user from active to inactive. */
export const isDeactivation = (entry: CommandLogEntry): boolean =>
  isApplied(entry) &&
  entry.changes.some(
    (change) => change.path.endsWith('active') && 'after' in change && change.after === false,
  );

/** The step that a command is, or tries to be; undefined for all others. */
export const setupCommandOf = (entry: CommandLogEntry): SetupCommand | undefined => {
  const { type } = entry;
  if (type === 'user.create') return 'first_user';
  if (type === 'group.create' || type === 'group.change') return 'first_group';
  return isDeactivation(entry) ? 'deactivation' : undefined;
};

export const isSuccess = ({ outcome }: CommandLogEntry): boolean =>
  outcome === 'applied' || outcome === 'no-op';

/** Makes the first success of each step findable by its API key, and every failure. */
export interface SetupMarks {
  /** With a search key of the step, unless a recent entry has it. */
  readonly mark: (entry: CommandLogEntry) => CommandLogEntry;
  readonly committed: (entries: readonly CommandLogEntry[]) => void;
}

const API_KEY = 'api-key:';
const MAX_KEYS = 10_000;
/** Marked again after this time: the log keeps entries for a while only. */
const MARK_MS = 3_600_000;

/** Each gateway marks the first success that it sees: so an index entry an hour is all that it costs. */
export const createSetupMarks = (): SetupMarks => {
  /** When each was marked, by the monotonic clock; the oldest first. */
  const marked = new Map<string, number>();

  const isMarked = (key: string): boolean =>
    (marked.get(key) ?? -Infinity) > performance.now() - MARK_MS;

  const remember = (key: string): void => {
    marked.delete(key);
    marked.set(key, performance.now());
    for (const oldest of marked.keys()) {
      if (marked.size <= MAX_KEYS) return;
      marked.delete(oldest);
    }
  };

  const keyOf = (entry: CommandLogEntry): string | undefined => {
    if (entry.source !== 'scim' || !entry.actor.startsWith(API_KEY)) return undefined;
    const step = setupCommandOf(entry);
    return step && setupKey(step, entry.actor.slice(API_KEY.length), isSuccess(entry));
  };

  return {
    mark: (entry) => {
      const key = keyOf(entry);
      return key === undefined || isMarked(key) ? entry : { ...entry, keys: [...entry.keys, key] };
    },
    committed: (entries) => {
      for (const entry of entries) {
        const key = keyOf(entry);
        if (key !== undefined && isSuccess(entry) && entry.keys.includes(key)) remember(key);
      }
    },
  };
};
