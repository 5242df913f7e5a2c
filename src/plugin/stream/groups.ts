import { setTimeout as wait } from 'node:timers/promises';
import type { TenantId } from '../../domain/kernel/ids.js';
import { partitionOf } from '../../ports/event-stream.js';
import type { Engine } from './engine.js';
import { type Head, TenantGroup } from './tenant-group.js';
import type { Group, Job, Lane } from './lane.js';

/** Groups that are opened without a pause, and how long it is. */
const OPENED_AT_ONCE = 32;
const OPENING_MS = 5;
/** How long a count of all queues is used, in milliseconds. */
const COUNTED_MS = 50;

const nameOf = (plugin: string, tenantId: TenantId): string => `${plugin}:${tenantId}`;

/** The groups in memory, by plugin and tenant. */
export const createGroups = (engine: Engine) => {
  const { subscribers, store, clock, limits } = engine;
  const groups = new Map<string, TenantGroup>();
  let isStopped = false;
  let queuedAt = -Infinity;
  let queuedThen = 0;

  const lanes = function* (): Generator<Lane> {
    for (const group of groups.values()) yield* group.lanes();
  };

  /** Unless another has taken its place. */
  const remove = (group: Group): void => {
    const name = nameOf(group.plugin, group.tenantId);
    if (groups.get(name) === group) groups.delete(name);
  };

  /** A later owner has claimed it: nothing of it is written. */
  const lose = (group: Group): void => {
    group.close({ isLost: true });
    engine.sender.abort(({ lane }) => lane.group === group);
    remove(group);
  };

  /** The group, if this gateway owns it. */
  const open = (plugin: string, tenantId: TenantId): TenantGroup | undefined => {
    const token = isStopped ? undefined : engine.partitions.tokenOf(tenantId);
    const subscriber = subscribers.get(plugin);
    if (token === undefined || !subscriber) return undefined;
    const known = groups.get(nameOf(plugin, tenantId));
    if (known?.token === token && !known.isClosed()) return known;
    const group = new TenantGroup({ plugin, tenantId, subscriber, token }, engine);
    groups.set(nameOf(plugin, tenantId), group);
    return group;
  };

  const extend = (plugin: string, tenantId: TenantId, head: Head): void =>
    open(plugin, tenantId)?.extend(head);

  /** Whether a plugin with this version of its records can have subscriptions in the tenant. */
  const needsGroup = (plugin: string, version: number): boolean =>
    version > 0 || subscribers.get(plugin)?.isByRecord === false;

  /** Opens the groups that have something to read. */
  const compare = async (): Promise<void> => {
    let opened = 0;
    for (const { plugin, tenantId, head, version } of await store.lagging(engine.plugins)) {
      if (!needsGroup(plugin, version)) continue;
      extend(plugin, tenantId, { seq: head, confirms: { version, at: -Infinity } });
      opened += 1;
      // Each reads and claims: not all at once.
      if (opened % OPENED_AT_ONCE === 0) await wait(OPENING_MS);
    }
  };

  const within = (ids: ReadonlySet<number>): readonly Group[] =>
    [...groups.values()].filter(({ tenantId }) => ids.has(partitionOf(tenantId)));

  /** Lets what is in flight end, for this time, and writes positions. */
  const close = async (closing: readonly Group[], graceMs: number): Promise<void> => {
    const { sender, results } = engine;
    const isTheirs = ({ lane }: Job): boolean => closing.includes(lane.group);
    for (const group of closing) group.close();
    await sender.ended(isTheirs, graceMs);
    sender.abort(isTheirs);
    await sender.ended(isTheirs, 2 * limits.abortGraceMs);
    await results.write(closing);
    closing.forEach(remove);
  };

  /** Closes idle ones. `writes`: also writes positions that only unwanted events have moved. */
  const tidy = async ({ writes }: { readonly writes: boolean }): Promise<void> => {
    const idleSince = clock.now() - limits.idleMs;
    const idle = [...groups.values()].filter((one) => one.usedAt() < idleSince && one.isIdle());
    if (writes || idle.length > 0) await engine.results.write([...groups.values()]);
    for (const group of idle) {
      if (!group.isIdle() || group.moved()) continue;
      group.close();
      remove(group);
    }
    for (const group of groups.values()) if (!group.isIdle()) group.pump();
  };

  return {
    lanes,
    lose,
    open,
    extend,
    needsGroup,
    compare,
    close,
    tidy,
    within,
    /** Events that wait, over all keys. */
    queued: (): number => {
      if (clock.now() - queuedAt > COUNTED_MS) {
        queuedAt = clock.now();
        queuedThen = 0;
        for (const lane of lanes()) queuedThen += lane.queued();
      }
      return queuedThen;
    },
    openNoMore: (): void => {
      isStopped = true;
    },
    closeAll: (graceMs: number): Promise<void> => close([...groups.values()], graceMs),
  };
};
