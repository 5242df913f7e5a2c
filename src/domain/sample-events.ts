import type { EventName } from './events.js';
import type { JsonObject } from './kernel/json.js';

const USER = {
  id: '0b0a9f6e-5f0c-4a53-9b57-0c5d3a1f2e10',
  email: 'zoe@example.com',
  display_name: 'Zoë',
  active: true,
};
const ROOM = {
  id: '3d1c2b7a-6e55-4a0f-8a43-5b1f9d7c6e21',
  name: 'Dispatch',
  display_name: null,
  external_id: null,
};
const GROUP = {
  id: '7f8e9d0c-1b2a-4c3d-8e4f-5a6b7c8d9e32',
  display_name: 'Dispatch',
  external_id: null,
  room_id: ROOM.id,
  role: null,
};
const ROLE_ONLY = { ...GROUP, display_name: 'Crew', room_id: null, role: 'crew' };
const LIST = { id: '9a8b7c6d-5e4f-4a3b-9c2d-1e0f9a8b7c43', external_id: null, name: 'On call' };
const KEY = { api_key_id: null };

/**
 * The `data` of an example of each event, as on the wire (decisions.md 7): for documentation, tests of
 * plugins, and trying out receivers.
 */
export const SAMPLE_EVENTS: Readonly<Record<EventName, JsonObject>> = {
  'user.created': { user: USER },
  'user.updated': { user: USER, changed: ['display_name'] },
  'user.deactivated': { user: { ...USER, active: false } },
  'user.reactivated': { user: USER },
  'user.deleted': { user: { ...USER, active: false } },
  'room.member_added': { room: ROOM, user: USER, tx_permission: false },
  'room.member_removed': { room: ROOM, user: USER, tx_permission: false },
  'room.member_updated': { room: ROOM, user: USER, tx_permission: true },
  'group.created': { group: GROUP },
  'group.updated': { group: GROUP, changed: ['display_name'] },
  'group.deleted': { group: GROUP },
  'group.member_added': { group: ROLE_ONLY, user: USER },
  'group.member_removed': { group: ROLE_ONLY, user: USER },
  'sms_list.created': { list: LIST, ...KEY },
  'sms_list.updated': { list: LIST, changed: ['name'], ...KEY },
  'sms_list.deleted': { list: LIST, ...KEY },
  'sms_list.members_added': { list: LIST, added: 2, updated: 1, ...KEY },
  'sms_list.members_removed': { list: LIST, removed: 2, ...KEY },
};
