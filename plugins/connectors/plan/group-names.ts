import { nameKey, type GroupId, type RoomId } from '../../../src/plugin/api.js';
import type { Gateway } from '../run/gateway.js';
import type { GroupLookup } from './plan-record.js';

/** Looks up groups by display name, each once per run. */
export interface GroupNames {
  readonly lookUp: GroupLookup;
  /** Makes these names known to `lookUp`. */
  readonly load: (names: readonly string[]) => Promise<void>;
  /** Names of groups that neither exist nor can be created, and why. */
  readonly warnings: () => readonly string[];
}

/** Creates a group, with the same ids for the same key. */
export const createGroupCommand = (gateway: Gateway, name: string, key = name) => ({
  type: 'group.create' as const,
  groupId: gateway.idFor<GroupId>(`group:${nameKey(key)}`),
  roomId: gateway.idFor<RoomId>(`room:${nameKey(key)}`),
  displayName: name,
  externalId: null,
  members: [],
});

export const createGroupNames = (gateway: Gateway): GroupNames => {
  const known = new Map<string, GroupId | 'creatable' | undefined>();
  const warnings: string[] = [];

  const preview = async (name: string): Promise<void> => {
    const outcome = await gateway.preview(createGroupCommand(gateway, name));
    known.set(nameKey(name), outcome.ok ? 'creatable' : undefined);
    if (!outcome.ok) warnings.push(`Group "${name}": ${outcome.refusal.message}`);
  };

  return {
    lookUp: (name) => known.get(nameKey(name)),
    load: async (names) => {
      const unknown = [...new Map(names.map((name) => [nameKey(name), name])).entries()].filter(
        ([key]) => !known.has(key),
      );
      for (let from = 0; from < unknown.length; from += 500) {
        const some = unknown.slice(from, from + 500);
        const found = await gateway.findGroups(some.map(([, name]) => name));
        for (const { displayName, id } of found) known.set(nameKey(displayName), id);
        for (const [key, name] of some) if (!known.has(key)) await preview(name);
      }
    },
    warnings: () => warnings,
  };
};
