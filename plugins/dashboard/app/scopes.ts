import { KEY_PRESETS } from 'rollgate/client';
import type { Schema } from './api/schema.ts';

export type Scope = Schema<'ApiKey'>['scopes'][number];

/** What API keys can be allowed: a line of the matrix each. */
export const RESOURCES: readonly {
  readonly title: string;
  readonly about: string;
  readonly read?: Scope;
  readonly write?: Scope;
}[] = [
  {
    title: 'SCIM',
    about: 'Users and groups, for identity providers',
    read: 'scim:read',
    write: 'scim:write',
  },
  { title: 'Users', about: 'REST API', read: 'api:users:read', write: 'api:users:write' },
  {
    title: 'Rooms',
    about: 'Rooms and their members',
    read: 'api:rooms:read',
    write: 'api:rooms:write',
  },
  {
    title: 'SMS lists',
    about: 'Lists and their numbers',
    read: 'api:sms_lists:read',
    write: 'api:sms_lists:write',
  },
  { title: 'Seats', about: 'Seat usage', read: 'usage' },
  { title: 'Webhooks', about: 'Registrations, deliveries and events', write: 'webhooks' },
  { title: 'Uploads', about: 'People for connectors that receive them', write: 'connectors:push' },
];

/** The presets of the command line: its name, the title, what it is for, the scopes. */
export const PRESETS = [
  ['idp', 'Identity provider', 'SCIM for Okta, Entra and others', KEY_PRESETS.idp],
  ['read-only', 'Read only', 'Read access to all resources', KEY_PRESETS['read-only']],
  ['room-sync', 'Room sync', 'Manages the members of rooms', KEY_PRESETS['room-sync']],
  ['sms-lists', 'SMS lists', 'Manages SMS lists and their numbers', KEY_PRESETS['sms-lists']],
  ['webhooks', 'Webhooks', 'Manages registrations, reads deliveries and events', ['webhooks']],
  ['custom', 'Custom', 'Choose scopes below', []],
] as const satisfies readonly (readonly [string, string, string, readonly Scope[]])[];

export type Preset = (typeof PRESETS)[number][0];

const isSame = (some: readonly Scope[], others: readonly Scope[]): boolean =>
  some.length === others.length && some.every((scope) => others.includes(scope));

export const presetOf = (scopes: readonly Scope[]): Preset =>
  PRESETS.find(([, , , preset]) => isSame(preset, scopes))?.[0] ?? 'custom';

/** `SCIM: read, write`, one line for each resource. */
export const describeScopes = (
  scopes: readonly Scope[],
): readonly { readonly title: string; readonly rights: string }[] =>
  RESOURCES.flatMap(({ title, read, write }) => {
    const rights = [
      read !== undefined && scopes.includes(read) && 'read',
      write !== undefined && scopes.includes(write) && (read === undefined ? 'all' : 'write'),
    ].filter((right) => right !== false);
    return rights.length === 0 ? [] : [{ title, rights: rights.join(', ') }];
  });
