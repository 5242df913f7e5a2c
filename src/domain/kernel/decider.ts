import type { CommandOf, CommandType, Envelope, Results } from '../commands.js';
import type { NewEvent } from '../events.js';
import { type Chunked, each } from './chunked.js';
import type { JobProgress } from '../job/job.js';
import type { GroupId, RosterId } from './ids.js';
import type { JsonObject } from './json.js';
import type { PluginRecord } from '../plugin/plugin-record.js';
import { refuse, type Refusal, RefusalError } from './refusals.js';
import type { Change, Entities, IndexName, Lookup, TableName } from '../tables.js';
import type { Tenant } from '../tenant/tenant.js';

/** The entities that a batch has loaded. */
export interface LoadedEntities {
  readonly find: <T extends TableName>(
    table: T,
    index: IndexName<T>,
    key: string,
  ) => Entities[T] | undefined;
  /** Whether the key is loaded, so that looking it up does not throw. */
  readonly isLoaded: (lookup: Lookup) => boolean;
}

/**
 * The state that a decider sees: the tenant and the entities that it looks up, after all changes of
 * earlier commands in the same batch. "Not loaded" never means "does not exist": such a lookup throws
 * MissingLookups, the pipeline loads the entity and decides the batch again (pipeline-rules.md 5).
 */
export interface Facts extends LoadedEntities {
  /** The database server's time, never the gateway's (pipeline-rules.md 7). */
  readonly now: Date;
  /** The end of the tenant's log before the batch. */
  readonly seq: number;
  /** Undefined if the tenant does not exist. */
  readonly tenant: Tenant | undefined;
  readonly list: <T extends TableName>(
    table: T,
    index: IndexName<T>,
    key: string,
  ) => readonly Entities[T][];
  /** Throws MissingLookups with all keys that are not loaded. */
  readonly require: (lookups: readonly Lookup[]) => void;
  /** The facts with these changes, which are not applied to the original. */
  readonly after: (changes: readonly Change[]) => Facts;
  /** Number of changes that the commit contains so far. */
  readonly changeCount: number;
  readonly limits: Limits;
}

/** An accepted command. Nothing is written before the batch is committed. */
export interface Accepted<Result> {
  /** In order; empty if the command changes nothing. */
  readonly changes: readonly Change[];
  readonly events: readonly NewEvent[];
  readonly result: Result;
  /** Fields of the result that the provisioning log must not keep. Absent: none. */
  readonly unlogged?: readonly string[];
  /** Ids of unknown members that were left out. Absent: none. */
  readonly skippedMembers?: readonly string[];
  /** The jobs that the command started when it was committed earlier. Only for a repeated command. */
  readonly jobs?: readonly JobProgress[];
  /** The stored response to an Idempotency-Key. */
  readonly isReplay?: true;
}

export interface Refused {
  readonly refusal: Refusal;
  /**
   * A job still changes the same members. The command is decided again later, and refused only if the
   * job takes too long.
   */
  readonly postponed?: true;
}

export type Decision<Result> = Accepted<Result> | Refused;

/** The command is to be decided again when the job is done. */
class PostponedError extends RefusalError {
  readonly postponed = true;
}

/** Raises the refusal of a command that has to wait for a job. */
export const postpone = (whose: string): never => {
  const message = `An earlier change of ${whose} is still in progress. Try again shortly.`;
  throw new PostponedError(refuse('UNAVAILABLE', message, { retryAfter: 2 }));
};

/** What a decider raised, as its decision. Other errors are thrown again. */
export const refusedBy = (error: unknown): Refused => {
  if (!(error instanceof RefusalError)) throw error;
  const { refusal } = error;
  return 'postponed' in error ? { refusal, postponed: true } : { refusal };
};

export const isRefused = <Result>(decision: Decision<Result>): decision is Refused =>
  'refusal' in decision;

/** The decision if the state already matches the command: no change, no event (decisions.md 4). */
export const unchanged = <Result>(result: Result): Accepted<Result> => ({
  changes: [],
  events: [],
  result,
});

/** A plugin's rule for its own records of one tenant. Pure, like a decider. */
export type PluginRule = (
  input: JsonObject,
  facts: {
    readonly now: Date;
    /** The end of the tenant's log before the change. */
    readonly seq: number;
    readonly records: readonly PluginRecord[];
    readonly newRecord: (data: JsonObject) => PluginRecord;
  },
) => PluginDecision;

/** What a rule decides: the changed record and its result, or a refusal. */
export type PluginDecision =
  | { readonly refusal: Refusal }
  | {
      /** New records, and records that replace the one with the same id. */
      readonly put?: readonly PluginRecord[];
      readonly remove?: readonly PluginRecord[];
      readonly result: JsonObject | null;
      /** Fields of the result that the provisioning log must not keep: secrets, even encrypted. */
      readonly unlogged?: readonly string[];
    };

/** Pure functions that deciders get from outside the domain. */
export interface Rules {
  readonly pluginRule: (plugin: string, change: string) => PluginRule | undefined;
  /** How the provisioning log shows a plugin's record; undefined: not at all. */
  readonly describeRecord?: (record: PluginRecord) => DescribedRecord | undefined;
}

/** A plugin's record in the provisioning log. It must not contain secrets. */
export interface DescribedRecord {
  /** The kind of resource: `webhook`. */
  readonly kind: string;
  readonly name: string | null;
  /** Fields that are logged with their values before and after. */
  readonly shown: JsonObject;
  /** Fields of which only the names are logged when they change. */
  readonly hidden: JsonObject;
}

/** A decision, or chunked work that leads to one. */
type Deciding<Result> = Decision<Result> | Chunked<Decision<Result>>;

/** What earlier batches have loaded. It may be outdated: it saves a query, and decides nothing. */
export interface Hints {
  readonly rosterOf: (groupId: GroupId) => RosterId | undefined;
}

export interface Decider<Type extends CommandType> {
  /** What it looks up, certainly or as hinted, so that the batch can load it in one query. */
  readonly lookups: (command: CommandOf<Type>, hints: Hints) => readonly Lookup[];
  /**
   * Pure and synchronous. Refuses by raising, or by returning the refusal. It may run again, so it must
   * not change the command. A decider that visits thousands of entities yields between them, so that
   * the process can serve other requests; the facts do not change while it runs (pipeline-rules.md 9).
   */
  readonly decide: (
    envelope: Envelope<Type>,
    facts: Facts,
    rules: Rules,
  ) => Deciding<Results[Type]>;
  /**
   * The result of a command that was committed earlier without confirmation, from the current facts;
   * undefined if they no longer show it. Absent for commands whose result the log stores
   * (`storesResponse`).
   */
  readonly recall?: (command: CommandOf<Type>, facts: Facts) => Results[Type] | undefined;
}

/** How much one commit changes; larger changes become jobs (pipeline-rules.md 1). */
export interface Limits {
  /** Maximum number of members that one command changes in its commit. */
  readonly membersAtOnce: number;
  /** Maximum number of changes in one commit, without events. */
  readonly changesAtOnce: number;
  /** Members that a job changes per step. Other commands wait for it, at 0.1 ms per row. */
  readonly stepSize: number;
}

export const LIMITS: Limits = { membersAtOnce: 1_000, changesAtOnce: 4_000, stepSize: 250 };

/** A part of a decision: changes and events. */
export interface Effect {
  readonly changes: readonly Change[];
  readonly events: readonly NewEvent[];
}

export const NO_EFFECT: Effect = { changes: [], events: [] };

type EffectStep = (facts: Facts) => Effect;

/** Runs the steps in order; each sees the changes of those before it. */
export const combineInOrder = (facts: Facts, steps: readonly EffectStep[]): Effect => {
  let [seen, unseen]: [Facts, readonly Change[]] = [facts, []];
  const changes: Change[] = [];
  const events: NewEvent[] = [];
  for (const step of steps) {
    // Applied only if another step follows.
    if (unseen.length > 0) seen = seen.after(unseen);
    const effect = step(seen);
    unseen = effect.changes;
    changes.push(...effect.changes);
    events.push(...effect.events);
  }
  return { changes, events };
};

/** `facts.require` for a lookup of each of many items, in chunks. */
export const requireEach = function* <Item>(
  facts: Facts,
  items: Iterable<Item>,
  lookupOf: (item: Item) => Lookup,
): Chunked<void> {
  const missing: Lookup[] = [];
  yield* each(items, (item) => {
    const lookup = lookupOf(item);
    if (!facts.isLoaded(lookup)) missing.push(lookup);
  });
  facts.require(missing);
};
