import type { RecoveryJob } from '../../ports/event-stream.js';
import type { WholeEngine } from './create-engine.js';

/** Rounds between two writes of positions that only unwanted events have moved, and two looks for recoveries. */
const SLOW_ROUNDS = 10;
/** Rounds between two comparisons of all positions with the ends of all logs, in case a hint was lost. */
const COMPARE_ROUNDS = 60;

/** What happens about once a second, whatever happens in between. */
export const createRounds = (engine: WholeEngine) => {
  const { subscribers, store, gateways, clock, random, limits, outage } = engine;
  const { partitions, groups, retries } = engine;
  let isAdopted = false;
  let isStopped = false;
  /** Events may have been committed that nothing here has heard of. */
  let mustCompare = true;
  let rounds = 0;
  let round = Promise.resolve();
  let cancel = (): void => undefined;
  let closeWatch: (() => void) | undefined;
  let hasRecoveries = true;
  let recovering: Promise<void> | undefined;

  const adopt = async (): Promise<void> => {
    if (isAdopted) return;
    for (const plugin of engine.plugins) await store.adopt(plugin);
    isAdopted = true;
  };

  /** The change stream, while other gateways may commit; returns whether hints may have been missed. */
  const watch = async (): Promise<boolean> => {
    if (gateways.living().length === 1) {
      closeWatch?.();
      closeWatch = undefined;
      return false;
    }
    if (closeWatch) return false;
    closeWatch = await store.watch(
      (tenantId, seq) => {
        for (const plugin of engine.plugins) groups.extend(plugin, tenantId, { seq });
      },
      () => {
        closeWatch = undefined;
      },
    );
    return true;
  };

  const recover = async (job: RecoveryJob): Promise<void> => {
    const served = await subscribers.get(job.plugin)?.subscriptions(job.tenantId);
    if (served?.some(({ key }) => key === job.key)) await store.recover(job);
    else await store.stopRecovery(job);
    await retries.poll();
  };

  const recoverAll = async (): Promise<void> => {
    hasRecoveries = false;
    for (const job of await store.recoveries()) {
      if (partitions.tokenOf(job.tenantId) === undefined) continue;
      // One that fails is continued later, and stops nothing else.
      await recover(job).catch((cause: unknown) => {
        hasRecoveries = true;
        outage.failed(cause);
      });
    }
  };

  /** Beside the rounds: it may take a while. */
  const startRecoveries = (): void => {
    recovering ??= recoverAll()
      .catch(outage.failed)
      .finally(() => {
        recovering = undefined;
      });
  };

  const run = async (): Promise<void> => {
    const isSlow = rounds % SLOW_ROUNDS === 0;
    await adopt();
    await partitions.round();
    if (!partitions.isTrusted()) return;
    const mayHaveMissed = await watch();
    mustCompare ||= mayHaveMissed || partitions.hasNew() || rounds % COMPARE_ROUNDS === 0;
    partitions.compared();
    if (mustCompare) await groups.compare();
    mustCompare = false;
    if (closeWatch || !retries.isQuiet() || isSlow) await retries.poll();
    if (hasRecoveries || isSlow) startRecoveries();
    if (isSlow) await engine.outcomes.giveUpRetries();
    await groups.tidy({ writes: isSlow });
    engine.sender.send();
    outage.succeeded();
  };

  const next = (inMs: number): void => {
    cancel();
    cancel = clock.after(inMs, () => {
      rounds += 1;
      round = run()
        .catch(outage.failed)
        .then(() => {
          if (!isStopped) next(limits.roundMs * (0.9 + 0.2 * random()));
        });
    });
  };

  return {
    start: (): void => next(0),
    expectRecovery: (): void => {
      hasRecoveries = true;
    },
    stop: async (): Promise<void> => {
      isStopped = true;
      cancel();
      await round;
      closeWatch?.();
    },
  };
};
