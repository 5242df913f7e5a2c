import type { TenantId } from '../../domain/kernel/ids.js';
import { type Partition, partitionOf, PARTITIONS } from '../../ports/event-stream.js';
import type { Shared } from './stream-parts.js';

/** Rounds after which an owner that never lived here counts as dead: it may have started just now. */
const UNSEEN_ROUNDS = 3;
/** Partitions that one round hands over: those that stay are not delayed. */
const HANDED_OVER = 8;

/**
 * The partitions that this gateway owns. The heartbeat is the lease: an owner without one for 3 s is
 * evicted, and every take-over increments the partition's token, the fence of all writes in it.
 */
export class Partitions {
  private mine = new Map<number, Partition>();
  /** Being handed over: still this gateway's, but nothing begins in them. */
  private leaving: ReadonlySet<number> = new Set();
  private evictions: number;
  private hasJoined = false;
  private hasNew = true;
  /** In how many rounds each owner was not among the living; enough for one that has been. */
  private readonly missed = new Map<string, number>();

  constructor(private readonly shared: Shared) {
    this.evictions = shared.gateways.timesEvicted() ?? 0;
  }

  /** The token of the tenant's partition; undefined if nothing may begin in it here. */
  tokenOf(tenantId: TenantId): number | undefined {
    const id = partitionOf(tenantId);
    return this.leaving.has(id) ? undefined : this.mine.get(id)?.token;
  }

  /** Whether it is still this gateway's, and has been since it had this token. */
  holds(id: number, token: number): boolean {
    return this.mine.get(id)?.token === token;
  }

  owned(): readonly number[] {
    return [...this.mine.keys()];
  }

  /** Whether this gateway may use what it owns: not after a late heartbeat, until the next round. */
  isTrusted(): boolean {
    return this.shared.gateways.timesEvicted() === this.evictions;
  }

  /** Whether some are new here since the last call. */
  hadNew(): boolean {
    const { hasNew } = this;
    this.hasNew = false;
    return hasNew;
  }

  /** Takes what is free, and hands over what is more than its share, once it is emptied. */
  async round(empty: (ids: ReadonlySet<number>) => Promise<void>): Promise<void> {
    const { store, owner, gateways } = this.shared;
    const evictions = gateways.timesEvicted();
    if (evictions === undefined) return;
    // Partitions that no other gateway has taken since then stay this one's, with their state in memory.
    if (evictions !== this.evictions) this.hasJoined = false;
    const living = gateways.living();
    if (this.hasJoined && living.length === 1 && this.mine.size === PARTITIONS) return;
    if (!this.hasJoined) await this.join();
    const { participants, partitions } = await store.partitions();
    // One that has not seen this gateway live may have removed it.
    this.hasJoined = participants.includes(owner);
    const dead = this.findDead([...participants, ...partitions.flatMap((one) => one.owner ?? [])]);
    for (const id of participants) if (dead.has(id)) await store.leave(id);
    const others = participants.filter((id) => id !== owner && living.includes(id));
    const share = Math.ceil(PARTITIONS / (others.length + 1));
    this.adopt(partitions);
    this.evictions = evictions;
    const free = partitions.filter((one) => one.owner === null || dead.has(one.owner));
    await this.takeFree(free, share - this.mine.size);
    await this.handOver(this.mine.size - share, empty);
  }

  /** Releases all, which must be empty. */
  async leave(): Promise<void> {
    const { store, owner } = this.shared;
    const released = [...this.mine.values()];
    this.mine.clear();
    await store.release(released);
    await store.leave(owner);
  }

  private async join(): Promise<void> {
    const { store, owner, plugins } = this.shared;
    for (const plugin of plugins) await store.adopt(plugin);
    await store.join(owner);
  }

  /** Adopts what the database says. */
  private adopt(partitions: readonly Partition[]): void {
    const own = partitions.filter(({ owner }) => owner === this.shared.owner);
    this.hasNew ||= own.some(({ id, token }) => !this.holds(id, token));
    this.mine = new Map(own.map((one) => [one.id, one]));
  }

  /** Of these gateways. */
  private findDead(known: readonly string[]): ReadonlySet<string> {
    const living = this.shared.gateways.living();
    for (const id of this.missed.keys()) if (!known.includes(id)) this.missed.delete(id);
    for (const id of living) this.missed.set(id, UNSEEN_ROUNDS);
    const missing = [...new Set(known)].filter((id) => !living.includes(id));
    for (const id of missing) this.missed.set(id, (this.missed.get(id) ?? 0) + 1);
    return new Set(missing.filter((id) => (this.missed.get(id) ?? 0) >= UNSEEN_ROUNDS));
  }

  private async takeFree(free: readonly Partition[], wanted: number): Promise<void> {
    if (wanted <= 0 || free.length === 0) return;
    const { store, owner } = this.shared;
    // From a random place on, so that two gateways do not want the same ones.
    const from = Math.floor(Math.random() * free.length);
    await store.take(owner, [...free.slice(from), ...free.slice(0, from)].slice(0, wanted));
    this.adopt((await store.partitions()).partitions);
  }

  private async handOver(
    surplus: number,
    empty: (ids: ReadonlySet<number>) => Promise<void>,
  ): Promise<void> {
    if (surplus <= 0) return;
    const chosen = [...this.mine.values()].slice(0, Math.min(surplus, HANDED_OVER));
    this.leaving = new Set(chosen.map(({ id }) => id));
    try {
      await empty(this.leaving);
      for (const { id } of chosen) this.mine.delete(id);
      await this.shared.store.release(chosen);
    } finally {
      this.leaving = new Set();
    }
  }
}
