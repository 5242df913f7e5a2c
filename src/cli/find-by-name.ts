import { CommandFailure, EXIT } from './command-failure.js';
import { printable } from './display-width.js';
import type { Session } from './session.js';
import { RoleMappingPage, RoleMappingView, RoomPage, RoomView } from './views.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const missing = (what: string, wanted: string, command: string): CommandFailure =>
  new CommandFailure(EXIT.refused, `There is no ${what} "${printable(wanted)}".`, [
    `"${command}" shows all.`,
  ]);

/** The tenant's room with this id or name, in any case. */
export const findRoom = async (
  { client, read }: Session,
  slug: string,
  wanted: string,
): Promise<RoomView> => {
  const path = `/tenants/${slug}/rooms`;
  if (UUID.test(wanted))
    return read(RoomView, await client.request('GET', `${path}/${wanted.toLowerCase()}`));
  const answer = await client.request('GET', path, { query: { name: wanted } });
  const [room] = read(RoomPage, answer).rooms;
  if (!room) throw missing('room', wanted, `rollgate room list ${slug}`);
  return room;
};

/** The tenant's role mapping with this id, or that of the group of this name, in any case. */
export const findRoleMapping = async (
  { client, read }: Session,
  slug: string,
  wanted: string,
): Promise<RoleMappingView> => {
  const path = `/tenants/${slug}/role-mappings`;
  if (UUID.test(wanted))
    return read(RoleMappingView, await client.request('GET', `${path}/${wanted.toLowerCase()}`));
  const answer = await client.request('GET', path, { query: { group_display_name: wanted } });
  const [mapping] = read(RoleMappingPage, answer).role_mappings;
  if (!mapping) throw missing('role mapping for a group', wanted, `rollgate role list ${slug}`);
  return mapping;
};
