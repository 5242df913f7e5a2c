import type { TenantId } from '../../domain/kernel/ids.js';
import { type Partition, partitionOf, PARTITIONS } from '../../ports/event-stream.js';
import type { Engine } from './engine.js';

/** Rounds after which an owner that never lived here counts as dead: it may have started just now. */
const UNSEEN_ROUNDS = 3;
/** How long deliveries of a partition that is handed over may take. */
const HAND_OVER_MS = 5_000;
/** Partitions that one round hands over: those that stay are not delayed. */
const HANDED_OVER = 8;

/**
 * The partitions that this gateway owns. The heartbeat is the lease: an owner without one for 3 s is
 * evicted, and every take-over increments the partition's token, the fence of all writes in it.
 */
export const createPartitions = (engine: Engine) => {
  const { store, owner, gateways, random } = engine;
  const mine = new Map<number, Partition>();
  /** Being handed over: still this gateway's, but nothing begins in them. */
  const leaving = new Set<number>();
  let evictions = gateways.timesEvicted() ?? 0;
  let hasJoined = false;
  let hasNew = true;
  /** In how many rounds each owner was not among the living; enough for one that has been. */
  const missed = new Map<string, number>();

  const lose = (ids: readonly number[]): void => {
    if (ids.length === 0) return;
    for (const id of ids) mine.delete(id);
    engine.groups.within(new Set(ids)).forEach(engine.groups.lose);
  };

  /** Adopts what the database says. */
  const adopt = (partitions: readonly Partition[]): void => {
    const own = partitions.filter((one) => one.owner === owner);
    const tokens = new Map(own.map(({ id, token }) => [id, token]));
    lose(
      [...mine.values()].filter(({ id, token }) => tokens.get(id) !== token).map(({ id }) => id),
    );
    for (const partition of own) {
      if (mine.has(partition.id)) continue;
      mine.set(partition.id, partition);
      hasNew = true;
    }
  };

  /** Of these gateways. */
  const findDead = (known: ReadonlySet<string>): readonly string[] => {
    const living = gateways.living();
    for (const id of living) missed.set(id, UNSEEN_ROUNDS);
    const missing = [...known].filter((id) => !living.includes(id));
    for (const id of missing) missed.set(id, (missed.get(id) ?? 0) + 1);
    return missing.filter((id) => (missed.get(id) ?? 0) >= UNSEEN_ROUNDS);
  };

  const takeFree = async (free: readonly Partition[], share: number): Promise<void> => {
    const wanted = Math.min(share - mine.size, free.length);
    if (wanted <= 0) return;
    // From a random place on, so that two gateways do not want the same ones.
    const from = Math.floor(random() * free.length);
    await store.take(owner, [...free.slice(from), ...free.slice(0, from)].slice(0, wanted));
    adopt((await store.partitions()).partitions);
  };

  const handOver = async (surplus: number): Promise<void> => {
    if (surplus <= 0) return;
    const chosen = [...mine.values()].slice(0, Math.min(surplus, HANDED_OVER));
    for (const { id } of chosen) leaving.add(id);
    try {
      await engine.groups.close(engine.groups.within(leaving), HAND_OVER_MS);
      for (const { id } of chosen) mine.delete(id);
      await store.release(chosen);
    } finally {
      leaving.clear();
    }
  };

  const isTrusted = (): boolean => gateways.timesEvicted() === evictions;

  /** Another number of evictions: what is in memory is no longer its own. */
  const noteEvictions = (times: number): void => {
    if (times === evictions) return;
    lose([...mine.keys()]);
    evictions = times;
    hasJoined = false;
  };

  return {
    /** The token of the tenant's partition; undefined if another gateway owns it. */
    tokenOf: (tenantId: TenantId): number | undefined => {
      const id = partitionOf(tenantId);
      return leaving.has(id) ? undefined : mine.get(id)?.token;
    },
    owned: (): readonly number[] => [...mine.keys()],
    /** Whether this gateway may use what it owns. */
    isTrusted,
    /** Whether some are new here and their tenants' positions have not been compared. */
    hasNew: (): boolean => hasNew,
    compared: (): void => {
      hasNew = false;
    },
    /** Takes what is free, and hands over what is more than its share. */
    round: async (): Promise<void> => {
      const times = gateways.timesEvicted();
      if (times === undefined) return;
      noteEvictions(times);
      const living = gateways.living();
      if (hasJoined && living.length === 1 && mine.size === PARTITIONS) return;
      if (!hasJoined) await store.join(owner);
      hasJoined = true;
      const { participants, partitions } = await store.partitions();
      const owners = partitions.flatMap((one) => one.owner ?? []);
      const dead = findDead(new Set([...participants, ...owners]));
      for (const id of participants) if (dead.includes(id)) await store.leave(id);
      hasJoined = participants.includes(owner);
      const others = participants.filter((id) => id !== owner && living.includes(id));
      const share = Math.ceil(PARTITIONS / (others.length + 1));
      adopt(partitions);
      const free = partitions.filter((one) => one.owner === null || dead.includes(one.owner));
      await takeFree(free, share);
      await handOver(mine.size - share);
    },
    /** Releases all. Their groups must be closed. */
    leave: async (): Promise<void> => {
      const released = [...mine.values()];
      mine.clear();
      await store.release(released);
      await store.leave(owner);
    },
  };
};
