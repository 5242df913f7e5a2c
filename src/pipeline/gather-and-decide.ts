import { isRefused, type Limits, type Rules } from '../domain/kernel/decider.js';
import type { Batch, DecidedBatch } from './batch.js';
import type { CommitStore } from './commit-store.js';
import { decide } from './decide.js';
import { gather, gatherMore, createRosterHints } from './gather.js';
import type { PipelineLog } from './pipeline-log.js';
import { MissingLookups } from './workspace.js';

/**
 * Twice as many as any command of the model tests needs (10): each round is a query during which the lane waits. A
 * batch that needs more, because its commands depend on each other, is run command by command.
 */
const MAX_ROUNDS = 20;

export interface GatherAndDecideParts {
  readonly store: CommitStore;
  readonly rules: Rules;
  readonly log: PipelineLog;
  readonly limits?: Limits | undefined;
}

/**
 * Stages 3 and 4. If a decider needs something that was not loaded, it is loaded and the whole
 * batch is decided again (pipeline-rules.md 5).
 */
export const gatherAndDecide = ({ store, rules, log, limits }: GatherAndDecideParts) => {
  const rosters = createRosterHints();
  const gatherFirst = gather(store, rosters, limits);
  const gatherMissing = gatherMore(store, rosters, limits);
  const decideBatch = decide(rules, log);
  return async function gatherAndDecide(batch: Batch): Promise<DecidedBatch> {
    let gathered = await gatherFirst(batch);
    for (let round = 0; round < MAX_ROUNDS; round += 1)
      try {
        const decided = await decideBatch(gathered);
        if (
          !gathered.loaded.isAssumed ||
          !decided.decisions.some(({ decision }) => isRefused(decision))
        )
          return decided;
        // The reason may be another one if the keys exist.
        gathered = await gatherFirst({ ...batch, looksUpAll: true });
      } catch (error) {
        if (!(error instanceof MissingLookups)) throw error;
        gathered = await gatherMissing(gathered, error.lookups);
      }
    throw new Error(`Not decided after ${MAX_ROUNDS} rounds of lookups.`);
  };
};
