import { nameKey, type GroupId, type RoomId } from '../../../src/plugin/api.js';
import type { Gateway } from '../run/gateway.js';
import type { GroupLookup } from './plan-record.js';

/** Creates a group, with the same ids for the same key. */
export const createGroupCommand = (gateway: Gateway, name: string, key = name) => ({
  type: 'group.create' as const,
  groupId: gateway.idFor<GroupId>(`group:${nameKey(key)}`),
  roomId: gateway.idFor<RoomId>(`room:${nameKey(key)}`),
  displayName: name,
  externalId: null,
  members: [],
});

/** Looks up groups by display name, each once per run. */
export class GroupNames {
  readonly #known = new Map<string, GroupId | 'creatable' | undefined>();
  /** Names of groups that neither exist nor can be created, and why. */
  readonly warnings: string[] = [];

  constructor(private readonly gateway: Gateway) {}

  readonly lookUp: GroupLookup = (name) => this.#known.get(nameKey(name));

  /** Makes these names known to `lookUp`. */
  async load(names: readonly string[]): Promise<void> {
    const unknown = [...new Map(names.map((name) => [nameKey(name), name])).entries()].filter(
      ([key]) => !this.#known.has(key),
    );
    for (let from = 0; from < unknown.length; from += 500) {
      const some = unknown.slice(from, from + 500);
      const found = await this.gateway.findGroups(some.map(([, name]) => name));
      for (const { displayName, id } of found) this.#known.set(nameKey(displayName), id);
      for (const [key, name] of some) if (!this.#known.has(key)) await this.#preview(name);
    }
  }

  async #preview(name: string): Promise<void> {
    const outcome = await this.gateway.preview(createGroupCommand(this.gateway, name));
    this.#known.set(nameKey(name), outcome.ok ? 'creatable' : undefined);
    if (!outcome.ok) this.warnings.push(`Group "${name}": ${outcome.refusal.message}`);
  }
}
