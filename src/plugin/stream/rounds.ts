import type { RecoveryJob } from '../../ports/event-stream.js';
import { systemClock } from '../contract/clock.js';
import type { Groups } from './groups.js';
import type { Retries } from './retries.js';
import type { GroupParts } from './tenant-group.js';

/** Rounds between two writes of positions that only unwanted events have moved, and two looks for recoveries. */
const SLOW_ROUNDS = 10;
/** Rounds between two comparisons of all positions with the ends of all logs, in case a hint was lost. */
const COMPARE_ROUNDS = 60;
/** How long deliveries of a partition that is handed over may take. */
const HAND_OVER_MS = 5_000;

/** What happens about once a second, whatever happens in between. */
export class Rounds {
  private isStopped = false;
  /** Events may have been committed that nothing here has heard of. */
  private mustCompare = true;
  private rounds = 0;
  private round = Promise.resolve();
  private cancel = (): void => undefined;
  private closeWatch: (() => void) | undefined;
  private recovering: Promise<void> | undefined;
  /** One was requested, or failed. */
  private mustRecover = true;

  constructor(
    private readonly parts: GroupParts & { readonly groups: Groups; readonly retries: Retries },
  ) {}

  start(inMs = 0): void {
    this.cancel = systemClock.after(inMs, () => {
      this.round = this.run()
        .catch(this.parts.outage.failed)
        .then(() => {
          this.rounds += 1;
          if (!this.isStopped) this.start(this.parts.limits.roundMs * (0.9 + 0.2 * Math.random()));
        });
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.round;
    this.closeWatch?.();
  }

  /** Carries out recoveries, beside the rounds: it may take a while. */
  recover(): void {
    this.mustRecover = true;
    this.recovering ??= this.recoverAll()
      .catch(this.recoverLater)
      .finally(() => (this.recovering = undefined));
  }

  private async run(): Promise<void> {
    const { partitions, groups, retries, sender } = this.parts;
    const isSlow = this.rounds % SLOW_ROUNDS === 0;
    await partitions.round((ids) =>
      groups.close(({ partition }) => ids.has(partition), HAND_OVER_MS),
    );
    if (!partitions.isTrusted()) return;
    if (await this.watch()) this.mustCompare = true;
    if (partitions.hadNew() || this.rounds % COMPARE_ROUNDS === 0) this.mustCompare = true;
    if (this.mustCompare) await groups.compare();
    this.mustCompare = false;
    if (this.closeWatch || !retries.isQuiet() || isSlow) await retries.poll();
    if (isSlow || this.mustRecover) this.recover();
    if (isSlow) await retries.giveUp();
    await groups.tidy({ writes: isSlow });
    sender.send();
    this.parts.outage.succeeded();
  }

  /** The change stream, while other gateways may commit; returns whether hints may have been missed. */
  private async watch(): Promise<boolean> {
    const { gateways, store, plugins } = this.parts;
    if (gateways.living().length === 1) {
      this.closeWatch?.();
      this.closeWatch = undefined;
      return false;
    }
    if (this.closeWatch) return false;
    this.closeWatch = await store.watch(
      (tenantId, seq) => {
        for (const plugin of plugins) this.parts.groups.extend(plugin, tenantId, { seq });
      },
      () => (this.closeWatch = undefined),
    );
    return true;
  }

  private async recoverAll(): Promise<void> {
    const { store } = this.parts;
    this.mustRecover = false;
    for (const job of await store.recoveries()) {
      if (this.parts.partitions.tokenOf(job.tenantId) === undefined) continue;
      // One that fails is continued by the next round, and stops nothing else.
      await this.recoverOne(job).catch(this.recoverLater);
    }
  }

  private readonly recoverLater = (cause: unknown): void => {
    this.mustRecover = true;
    this.parts.outage.failed(cause);
  };

  private async recoverOne(job: RecoveryJob): Promise<void> {
    const { store, subscribers } = this.parts;
    const served = await subscribers.get(job.plugin)?.subscriptions(job.tenantId);
    if (served?.some(({ key }) => key === job.key)) await store.recover(job);
    else await store.stopRecovery(job);
    await this.parts.retries.poll();
  }
}
