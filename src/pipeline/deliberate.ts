import type { Rules } from '../domain/decide/decider.js';
import type { Limits } from '../domain/decide/limits.js';
import type { Batch, Decided } from './batch.js';
import type { CommitStore } from './commit-store.js';
import { decide } from './decide.js';
import { gather, gatherMore } from './gather.js';
import type { PipelineLog } from './pipeline-log.js';
import { NeedMore } from './workspace.js';

/** Far more than deciders take: who asks for ever is a fault of ours, and must not hold the lane. */
const MOST_ROUNDS = 1_000;

interface DeliberateParts {
  readonly store: CommitStore;
  readonly rules: Rules;
  readonly log: PipelineLog;
  readonly limits?: Limits | undefined;
}

/**
 * Gathers and decides. Where a decider asks for what was not loaded, that is gathered as well and
 * the whole batch decided again: decided without knowing is not decided (pipeline-rules.md 5).
 */
export const deliberate = ({ store, rules, log, limits }: DeliberateParts) => {
  const [gathering, gatheringMore] = [gather(store, limits), gatherMore(store, limits)];
  const deciding = decide(rules, log);
  return async function deliberate(batch: Batch): Promise<Decided> {
    let gathered = await gathering(batch);
    for (let round = 0; round < MOST_ROUNDS; round += 1)
      try {
        return await deciding(gathered);
      } catch (error) {
        if (!(error instanceof NeedMore)) throw error;
        gathered = await gatheringMore(gathered, error.needs);
      }
    throw new Error('A decider asks without end.');
  };
};
