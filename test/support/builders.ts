import { randomUUID } from 'node:crypto';
import type { Actor } from '../../src/domain/kernel/actor.js';
import type { CommandOf, CommandType, Envelope } from '../../src/domain/commands.js';
import type { Group } from '../../src/domain/group/group.js';
import type {
  ApiKeyId,
  CommandId,
  GroupId,
  RoleMappingId,
  RoomId,
  TenantId,
  UserId,
} from '../../src/domain/kernel/ids.js';
import { type Membership, membershipIdOf, type Room } from '../../src/domain/room/room.js';
import type { RoleMapping } from '../../src/domain/role/role-mapping.js';
import { type Scope, SCOPES } from '../../src/domain/scopes.js';
import { DEFAULT_SCIM_SETTINGS } from '../../src/domain/tenant/scim-settings.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { emailOf, type User, type UserProfile } from '../../src/domain/user/user.js';

/** A well-formed, readable id: `idOf(7)` ends in 7. */
// The type of the id is the test's choice.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export const idOf = <Id extends string>(number: number): Id =>
  `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}` as Id;

export const TENANT_ID = idOf<TenantId>(0xacde);
export const NOW = new Date('2026-11-21T09:00:00.000Z');
const EARLIER = new Date('2026-11-20T09:00:00.000Z');

export const aTenant = (more: Partial<Tenant> = {}): Tenant => ({
  id: TENANT_ID,
  slug: 'acme',
  name: 'Acme Rescue',
  seatCapacity: null,
  defaultRole: 'member',
  roomProvisioning: 'manual',
  defaultCountry: null,
  scim: DEFAULT_SCIM_SETTINGS,
  createdAt: EARLIER,
  version: 1,
  seatsProvisioned: 0,
  userCount: 0,
  roomCount: 0,
  groupCount: 0,
  roleMappingCount: 0,
  smsListCount: 0,
  pluginVersions: {},
  removals: {},
  customAttributes: [],
  captureUntil: null,
  ...more,
});

export const aProfile = (more: Partial<UserProfile> = {}): UserProfile => ({
  userName: 'ada@example.com',
  active: true,
  displayName: 'Ada Lovelace',
  ...more,
});

export const createUserCommand = (name: string = randomUUID()): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: randomUUID() as UserId,
  profile: aProfile({ userName: `${name}@example.com` }),
});

export const aUser = (number: number, profile: Partial<UserProfile> = {}): User => {
  const whole = aProfile({ userName: `user${number}@example.com`, ...profile });
  return {
    id: idOf<UserId>(number),
    tenantId: TENANT_ID,
    version: 1,
    profile: whole,
    email: emailOf(whole),
    role: null,
    createdAt: EARLIER,
    updatedAt: EARLIER,
  };
};

export const anApiKeyActor = (scopes: readonly Scope[] = SCOPES): Actor => ({
  kind: 'api-key',
  id: idOf<ApiKeyId>(0xabc),
  scopes,
});

export const envelopeOf = <Type extends CommandType>(
  command: CommandOf<Type>,
  more: Partial<Omit<Envelope, 'command'>> = {},
): Envelope<Type> => ({
  id: idOf<CommandId>(0xc0de),
  tenantId: TENANT_ID,
  actor: { kind: 'operator', name: 'admin-token' },
  source: 'scim',
  requestId: 'request-1',
  ...more,
  command,
});

export const ROOM_ID = idOf<RoomId>(0xa001);
export const GROUP_ID = idOf<GroupId>(0xb001);
export const MAPPING_ID = idOf<RoleMappingId>(0xd001);

export const aRoom = (more: Partial<Room> = {}): Room => ({
  id: ROOM_ID,
  tenantId: TENANT_ID,
  name: 'Dispatch',
  memberCount: 0,
  version: 1,
  pendingJob: null,
  createdAt: EARLIER,
  updatedAt: EARLIER,
  ...more,
});

/** The group of `aRoom`; with `roomId: null` a role-only group. */
export const aGroup = (more: Partial<Group> = {}): Group => ({
  id: GROUP_ID,
  tenantId: TENANT_ID,
  displayName: 'Dispatch',
  externalId: null,
  roomId: ROOM_ID,
  memberCount: 0,
  version: 1,
  pendingJob: null,
  createdAt: EARLIER,
  updatedAt: EARLIER,
  ...more,
});

export const aMember = (
  number: number,
  {
    rosterId = ROOM_ID,
    txPermission = false,
  }: Partial<Pick<Membership, 'rosterId' | 'txPermission'>> = {},
): Membership => ({
  id: membershipIdOf(rosterId, idOf<UserId>(number)),
  tenantId: TENANT_ID,
  rosterId,
  userId: idOf<UserId>(number),
  txPermission,
  addedAt: EARLIER,
});

export const aMapping = (more: Partial<RoleMapping> = {}): RoleMapping => ({
  id: MAPPING_ID,
  tenantId: TENANT_ID,
  groupDisplayName: 'Dispatch',
  role: 'dispatcher',
  applyOnScimProvisioning: true,
  priority: 100,
  version: 1,
  createdAt: EARLIER,
  ...more,
});
