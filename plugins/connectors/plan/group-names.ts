import type { GroupId, RoomId } from '../../../src/plugin/api.js';
import type { GatewayAccess } from '../run/gateway-access.js';
import type { GroupLookup } from './plan-record.js';

/** Looks up groups by display name, each once per run. */
export interface GroupNames {
  readonly lookUp: GroupLookup;
  /** Makes these names known to `lookUp`. */
  readonly load: (names: readonly string[]) => Promise<void>;
  /** Names of groups that neither exist nor can be created, and why. */
  readonly warnings: () => readonly string[];
}

/** The id of a group that a run creates, the same in every attempt. */
export const newGroupIds = ({ commands, tenantId, connector }: GatewayAccess, name: string) => ({
  groupId: commands.idFor<GroupId>(tenantId, `${connector}:group:${name.toLowerCase()}`),
  roomId: commands.idFor<RoomId>(tenantId, `${connector}:room:${name.toLowerCase()}`),
});

export const createGroupNames = (access: GatewayAccess): GroupNames => {
  const { commands, users, tenantId, connector } = access;
  const known = new Map<string, GroupId | 'creatable' | undefined>();
  const warnings: string[] = [];

  const preview = async (name: string): Promise<void> => {
    const { outcome } = await commands.preview({
      tenantId,
      connector,
      requestId: access.requestId,
      command: {
        type: 'group.create',
        ...newGroupIds(access, name),
        displayName: name,
        externalId: null,
        members: [],
      },
    });
    known.set(name.toLowerCase(), outcome.ok ? 'creatable' : undefined);
    if (!outcome.ok) warnings.push(`Group "${name}": ${outcome.refusal.message}`);
  };

  return {
    lookUp: (name) => known.get(name.toLowerCase()),
    load: async (names) => {
      const unknown = [
        ...new Map(names.map((name) => [name.toLowerCase(), name])).entries(),
      ].filter(([key]) => !known.has(key));
      for (let from = 0; from < unknown.length; from += 500) {
        const some = unknown.slice(from, from + 500);
        const found = await users.findGroups(
          tenantId,
          some.map(([, name]) => name),
        );
        for (const { displayName, id } of found) known.set(displayName.toLowerCase(), id);
        for (const [key, name] of some) if (!known.has(key)) await preview(name);
      }
    },
    warnings: () => warnings,
  };
};
