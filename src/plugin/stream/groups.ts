import { setTimeout as wait } from 'node:timers/promises';
import type { TenantId } from '../../domain/kernel/ids.js';
import { systemClock } from '../contract/clock.js';
import type { Job, Lane } from './lane.js';
import { type GroupParts, type Head, TenantGroup } from './tenant-group.js';

/** Groups that are opened without a pause, and how long it is. */
const OPENED_AT_ONCE = 32;
const OPENING_MS = 5;

/** The groups in memory, by plugin and tenant. */
export class Groups {
  private readonly groups = new Map<string, TenantGroup>();
  private isStopped = false;

  constructor(private readonly parts: GroupParts) {}

  *lanes(): Generator<Lane> {
    for (const group of this.groups.values()) yield* group.lanes();
  }

  /** The group, if this gateway owns it. */
  open(plugin: string, tenantId: TenantId): TenantGroup | undefined {
    const token = this.isStopped ? undefined : this.parts.partitions.tokenOf(tenantId);
    const subscriber = this.parts.subscribers.get(plugin);
    if (token === undefined || !subscriber) return undefined;
    const name = `${plugin}:${tenantId}`;
    const known = this.groups.get(name);
    if (known && !known.isClosed()) return known;
    if (known?.isLost()) known.lose();
    const group = new TenantGroup({ plugin, tenantId }, subscriber, token, this.parts);
    this.groups.set(name, group);
    return group;
  }

  /** The tenant's log has grown, or its end is confirmed. */
  extend(plugin: string, tenantId: TenantId, head: Head): void {
    this.open(plugin, tenantId)?.extend(head);
  }

  /** Whether a plugin with this version of its records can have subscriptions in the tenant. */
  mayHave(plugin: string, version: number): boolean {
    return version > 0 || this.parts.subscribers.get(plugin)?.isByRecord === false;
  }

  /** Opens the groups that have something to read. */
  async compare(): Promise<void> {
    const { store, plugins } = this.parts;
    let opened = 0;
    for (const { plugin, tenantId, head, version } of await store.lagging(plugins)) {
      if (!this.mayHave(plugin, version)) continue;
      this.extend(plugin, tenantId, { seq: head, confirms: { version, at: -Infinity } });
      opened += 1;
      // Each reads and claims: not all at once.
      if (opened % OPENED_AT_ONCE === 0) await wait(OPENING_MS);
    }
  }

  /** Opens none from now on. */
  stop(): void {
    this.isStopped = true;
  }

  /** Lets what is in flight end, for this time, and writes positions. */
  async close(of: (group: TenantGroup) => boolean, graceMs: number): Promise<void> {
    const { sender, results } = this.parts;
    const closing = [...this.groups.values()].filter(of);
    const isTheirs = ({ lane }: Job): boolean => closing.some((group) => group === lane.group);
    for (const group of closing) group.close();
    const cancel = systemClock.after(graceMs, () => sender.abort(isTheirs));
    await sender.ended(isTheirs);
    cancel();
    await results.write(closing);
  }

  /** Closes lost and idle ones. `writes`: also positions that only unwanted events have moved. */
  async tidy({ writes }: { readonly writes: boolean }): Promise<void> {
    const idle = [...this.groups.values()].filter((group) => group.isQuiet() && group.isIdle());
    if (writes || idle.length > 0) await this.parts.results.write([...this.groups.values()]);
    for (const group of idle) if (group.isIdle() && !group.moved()) group.close();
    for (const [name, group] of this.groups) {
      if (group.isLost()) group.lose();
      if (group.isClosed()) this.groups.delete(name);
      else if (!group.isIdle()) group.pump();
    }
  }
}
