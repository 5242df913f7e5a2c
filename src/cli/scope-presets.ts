import { type CoreScope, SCOPES } from '../domain/scopes.js';
import type { Plugin } from '../start/load-extensions.js';

/** Sets of scopes for the usual holders of keys (interface.md, Authentication). */
const PRESETS: Readonly<Record<string, readonly CoreScope[]>> = {
  idp: ['scim:read', 'scim:write'],
  'read-only': ['scim:read', 'api:users:read', 'api:rooms:read', 'api:sms_lists:read', 'usage'],
  'room-sync': ['api:users:read', 'api:rooms:read', 'api:rooms:write'],
};

/** What each lets its holder do (interface.md, Authentication). */
const MEANINGS: Readonly<Record<CoreScope, string>> = {
  'scim:read': 'list and read users and groups by SCIM',
  'scim:write': 'create, update and delete users and groups by SCIM',
  'api:users:read': 'read users',
  'api:users:write': 'provision, update and deactivate users',
  'api:rooms:read': 'read rooms and their members',
  'api:rooms:write': 'change group mappings and memberships of rooms',
  'api:sms_lists:read': 'read SMS lists',
  'api:sms_lists:write': 'change SMS lists',
  usage: 'read the seats',
};

/** The preset with every scope. */
export const ALL = 'all';

/** The scopes and presets that keys can be created with. */
export interface ScopeCatalogue {
  readonly scopes: readonly string[];
  readonly meanings: Readonly<Record<string, string>>;
  readonly presets: Readonly<Record<string, readonly string[]>>;
}

/** Those of the core and of these plugins. */
export const scopeCatalogue = (plugins: readonly Pick<Plugin, 'scopes'>[] = []): ScopeCatalogue => {
  const declared = plugins.flatMap(({ scopes = [] }) => scopes);
  const scopes = [...SCOPES, ...declared.map(({ scope }) => scope)];
  const presets: Record<string, readonly string[]> = { ...PRESETS };
  for (const { scope, presets: names = [] } of declared)
    for (const name of names) presets[name] = [...(presets[name] ?? []), scope];
  return {
    scopes,
    meanings: {
      ...MEANINGS,
      ...Object.fromEntries(declared.map(({ scope, allows }) => [scope, allows])),
    },
    presets: { ...presets, [ALL]: scopes },
  };
};

/** The scopes of these presets and these scopes, each once, in the order of the catalogue. */
export const scopesOf = (
  { scopes, presets }: ScopeCatalogue,
  names: readonly string[],
  given: readonly string[],
): readonly string[] => {
  const wanted = new Set([...names.flatMap((name) => presets[name] ?? []), ...given]);
  return scopes.filter((scope) => wanted.has(scope));
};
