import type { CommandId } from '../../src/domain/kernel/ids.js';
import { type CommitStore, StoreUnavailable } from '../../src/pipeline/commit-store.js';

/**
 * The position of a command in the serial order of a tenant's commands: the tenant version that it
 * was decided on. Commands that changed nothing come before the commit of the same version.
 */
export interface CommitPosition {
  readonly version: number;
  readonly isInCommit: boolean;
}

/** A submitted command with its position. */
export interface Ordered {
  readonly position: CommitPosition;
  /** The order of submission. */
  readonly number: number;
}

/** Sorts commands into the serial order in which they took effect. */
export const inSerialOrder = <Command extends Ordered>(
  commands: readonly Command[],
): readonly Command[] =>
  commands.toSorted(
    (one, other) =>
      one.position.version - other.position.version ||
      Number(one.position.isInCommit) - Number(other.position.isInCommit) ||
      one.number - other.number,
  );

/** Wraps the store of an instance and records the position of each of its commands. */
export class CommitObserver {
  #last: CommitPosition = { version: 0, isInCommit: false };
  readonly #committed = new Map<CommandId, CommitPosition>();
  readonly #unheard = new Set<CommandId>();

  /** `losesResponse` decides for each commit whether its response is lost. */
  constructor(private readonly losesResponse: () => boolean = () => false) {}

  readonly wrap = (store: CommitStore): CommitStore => ({
    ...store,
    commit: async (plan) => {
      await store.commit(plan);
      this.#last = { version: plan.version.v, isInCommit: true };
      for (const { id } of plan.log) this.#committed.set(id, this.#last);
      if (!this.losesResponse()) return;
      for (const { id } of plan.log) this.#unheard.add(id);
      throw new StoreUnavailable('unknown');
    },
    isAt: async (tenantId, version) => {
      const isCurrent = await store.isAt(tenantId, version);
      if (isCurrent) this.#last = { version: version.v, isInCommit: false };
      return isCurrent;
    },
  });

  /** The position of the command that was answered last. */
  readonly positionOf = (id: CommandId): CommitPosition => this.#committed.get(id) ?? this.#last;

  /** Whether the command's outcome had to be recovered from the command log. */
  readonly isRecovered = (id: CommandId): boolean => this.#unheard.has(id);
}
