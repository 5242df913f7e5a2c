import type { CommandId } from '../../src/domain/ids.js';
import { type CommitStore, StoreUnavailable } from '../../src/pipeline/commit-store.js';

/**
 * Where a command stands in the order in which a tenant's commands came true: the version of the
 * tenant it was judged by, those that changed nothing before the batch that changed it.
 */
export interface Place {
  readonly version: number;
  readonly isInCommit: boolean;
}

/** Watches what an instance's store does, and so knows the place of each command it answers. */
export class Witness {
  #last: Place = { version: 0, isInCommit: false };
  readonly #committed = new Map<CommandId, Place>();
  readonly #unheard = new Set<CommandId>();

  /** `loses` says of each commit in turn whether its answer is lost on the way back. */
  constructor(private readonly loses: () => boolean = () => false) {}

  readonly wrap = (store: CommitStore): CommitStore => ({
    ...store,
    commit: async (plan) => {
      await store.commit(plan);
      this.#last = { version: plan.version.v, isInCommit: true };
      for (const { id } of plan.log) this.#committed.set(id, this.#last);
      if (!this.loses()) return;
      for (const { id } of plan.log) this.#unheard.add(id);
      throw new StoreUnavailable('unknown');
    },
    isAt: async (tenantId, version) => {
      const isThere = await store.isAt(tenantId, version);
      if (isThere) this.#last = { version: version.v, isInCommit: false };
      return isThere;
    },
  });

  /** Of a command that was answered just now. */
  readonly placeOf = (id: CommandId): Place => this.#committed.get(id) ?? this.#last;

  /** Whether the command's answer had to be found again in the log. */
  readonly isRecalled = (id: CommandId): boolean => this.#unheard.has(id);
}
