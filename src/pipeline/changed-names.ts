import type { Change } from '../domain/tables.js';

/** What operators see of an entity, by the names of the wire (decisions.md 5 and 8). */
const NAMES: Partial<Record<Change['table'], Readonly<Record<string, string>>>> = {
  rooms: { name: 'name' },
  groups: { displayName: 'display_name', externalId: 'external_id' },
  roleMappings: {
    groupDisplayName: 'group_display_name',
    role: 'role',
    applyOnScimProvisioning: 'apply_on_scim_provisioning',
    priority: 'priority',
  },
  tenant: {
    name: 'name',
    seatCapacity: 'seat_capacity',
    defaultRole: 'default_role',
    roomProvisioning: 'room_provisioning',
    defaultCountry: 'default_country',
  },
};

const fieldsOf = (entity: object): ReadonlyMap<string, unknown> => new Map(Object.entries(entity));

/** Names of what differs in a thing that was there before and still is; of members no more than that. */
export const namesChangedBy = ({ table, before, after }: Change): readonly string[] => {
  if (table === 'memberships') return [before && after ? 'tx_permission' : 'members'];
  if (!before || !after) return [];
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  return Object.entries(NAMES[table] ?? {}).flatMap(([field, name]) =>
    one.get(field) === other.get(field) ? [] : [name],
  );
};
