import type { CommandOf, CommandType, Envelope, Results } from '../commands.js';
import type { NewEvent } from '../events.js';
import { atOnce, inPieces, type Pieces } from '../in-pieces.js';
import type { JobProgress } from '../job.js';
import type { JsonObject } from '../json.js';
import type { PatchOperation } from '../patch-operation.js';
import type { PluginRecord } from '../plugin-record.js';
import type { Refusal } from '../refusals.js';
import type { Change, Entities, IndexName, Need, TableName } from '../tables.js';
import type { Tenant } from '../tenant.js';
import type { UserProfile } from '../user.js';
import type { Limits } from './limits.js';

/**
 * What a decider may know: the tenant and the entities it asks for, as they stand after all that
 * was decided before in the same batch. A key that was not loaded is never "does not exist": the
 * question throws NeedMore, the pipeline loads it, and the batch decides again from the start
 * (pipeline-rules.md 5).
 */
export interface Facts {
  /** The database server's time, never the gateway's (pipeline-rules.md 7). */
  readonly now: Date;
  /** The tenant, or undefined where none has the envelope's id. */
  readonly tenant: Tenant | undefined;
  readonly find: <T extends TableName>(
    table: T,
    index: IndexName<T>,
    key: string,
  ) => Entities[T] | undefined;
  readonly list: <T extends TableName>(
    table: T,
    index: IndexName<T>,
    key: string,
  ) => readonly Entities[T][];
  /** Asks for many keys at once: throws NeedMore with all of them that were not loaded. */
  readonly require: (needs: readonly Need[]) => void;
  /** Whether the key was loaded, so that asking for it would not throw. */
  readonly knows: (need: Need) => boolean;
  /** The facts as they would be after these changes, which are not made by it. */
  readonly after: (changes: readonly Change[]) => Facts;
  /** How many changes were accepted before in the same commit: what is left of its budget. */
  readonly changeCount: number;
  /** What a commit takes at most. */
  readonly limits: Limits;
}

/** The change that a decider proposes; nothing of it is done before the batch is committed. */
export interface Decision<Result> {
  /** In order; empty where the command changes nothing. */
  readonly changes: readonly Change[];
  readonly events: readonly NewEvent[];
  readonly result: Result;
  /** Only if it was carried out before, so that the changes are not in it: what it began then. */
  readonly begun?: readonly JobProgress[];
  /** The first answer to an Idempotency-Key, given again. */
  readonly isReplay?: true;
}

export interface Refused {
  readonly refusal: Refusal;
  /**
   * An earlier change of the same thing is not through yet: the command waits in the lane and is
   * refused only where that takes too long.
   */
  readonly postponed?: true;
}

export type Verdict<Result> = Decision<Result> | Refused;

export const isRefused = <Result>(verdict: Verdict<Result>): verdict is Refused =>
  'refusal' in verdict;

/** A rule of a plugin over its own records of one tenant: pure, like a decider. */
export type PluginRule = (
  input: JsonObject,
  facts: {
    readonly now: Date;
    readonly records: readonly PluginRecord[];
    readonly newRecord: (data: JsonObject) => PluginRecord;
  },
) => PluginVerdict;

export type PluginVerdict =
  | { readonly refusal: Refusal }
  | {
      /** Records that are new or replace the one of the same id. */
      readonly put?: readonly PluginRecord[];
      readonly remove?: readonly PluginRecord[];
      readonly result: JsonObject | null;
    };

/** What deciders are handed from outside the domain; pure functions all. */
export interface Rules {
  /** Applies a SCIM PATCH to a profile. Throws RefusalError where it cannot be applied. */
  readonly applyPatch: (profile: UserProfile, operations: readonly PatchOperation[]) => UserProfile;
  readonly pluginRule: (plugin: string, change: string) => PluginRule | undefined;
  /** What the provisioning log may show of a plugin's record; absent: nothing. */
  readonly describeRecord?: (record: PluginRecord) => DescribedRecord | undefined;
}

/** A plugin's record as the provisioning log names and keeps it: never a secret. */
export interface DescribedRecord {
  /** What sort of thing it is to an operator: `webhook`. */
  readonly kind: string;
  readonly name: string | null;
  /** Kept with their values before and after. */
  readonly shown: JsonObject;
  /** Compared, so that a change of them is seen, and never kept. */
  readonly hidden: JsonObject;
}

/** A verdict, or the way to one where that leads past many entities. */
export type Deciding<Result> = Verdict<Result> | Pieces<Verdict<Result>>;

/** For who has nobody to let in meanwhile. */
export const verdictAtOnce = <Result>(deciding: Deciding<Result>): Verdict<Result> =>
  atOnce(inPieces(deciding));

export interface Decider<Type extends CommandType> {
  /** What it will surely ask for, so that the batch loads it in one go. */
  readonly needs: (command: CommandOf<Type>) => readonly Need[];
  /**
   * Pure, and waits for nothing; run again after a conflict, so it must not change the command. One
   * that goes through thousands yields between them, for others' requests are answered by the same
   * thread: what it knows is the same before and after (pipeline-rules.md 9).
   */
  readonly decide: (
    envelope: Envelope<Type>,
    facts: Facts,
    rules: Rules,
  ) => Deciding<Results[Type]>;
  /**
   * The result of a command that turns out to have been committed before (its answer was lost with
   * a connection): what the facts say now. Undefined: only the command log can tell.
   */
  readonly recall?: (command: CommandOf<Type>, facts: Facts) => Results[Type] | undefined;
}
