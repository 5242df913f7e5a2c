import { SCOPES, type Scope } from '../domain/scopes.js';

/** Sets of scopes for the usual holders of keys (interface.md, Authentication). */
export const SCOPE_PRESETS = {
  idp: ['scim:read', 'scim:write'],
  'read-only': ['scim:read', 'api:users:read', 'api:rooms:read', 'api:sms_lists:read', 'usage'],
  'room-sync': ['api:users:read', 'api:rooms:read', 'api:rooms:write'],
  webhooks: ['webhooks'],
  all: SCOPES,
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/** What each lets its holder do (interface.md, Authentication). */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'scim:read': 'list and read users and groups by SCIM',
  'scim:write': 'create, update and delete users and groups by SCIM',
  'api:users:read': 'read users',
  'api:users:write': 'provision, update and deactivate users',
  'api:rooms:read': 'read rooms and their members',
  'api:rooms:write': 'change group mappings and memberships of rooms',
  'api:sms_lists:read': 'read SMS lists',
  'api:sms_lists:write': 'change SMS lists',
  usage: 'read the seats',
  webhooks: 'register, change, delete and test webhooks',
};

export type ScopePreset = keyof typeof SCOPE_PRESETS;

export const PRESET_NAMES = Object.keys(SCOPE_PRESETS) as readonly ScopePreset[];

/** What both name, each once, in the order of the document. */
export const scopesOf = (
  presets: readonly ScopePreset[],
  scopes: readonly Scope[],
): readonly Scope[] => {
  const asked = new Set<Scope>([...presets.flatMap((name) => SCOPE_PRESETS[name]), ...scopes]);
  return SCOPES.filter((scope) => asked.has(scope));
};
