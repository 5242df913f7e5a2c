import { type CoreScope, SCOPES } from '../../domain/scopes.js';
import type { Plugin } from '../../start/load-extensions.js';
import { usageError } from '../cli-error.js';
import { printable } from '../terminal-text.js';
import { formatTime, relativeTime } from '../format-time.js';
import type { Session } from '../session.js';
import type { GatewayResponse } from '../gateway-access.js';
import { byScan, type Locate } from '../locate.js';
import { parseFutureTime, parseList } from '../parse-argument.js';
import { defineResource, type Action, type CreateVerb } from '../resource.js';
import { renderFields } from '../table.js';
import { KEY_PRESETS } from '../../client/index.js';
import { type Schemas, viewOf } from '../view-of.js';

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
const ALL = 'all';

/** The scopes and presets that keys can be created with. */
interface ScopeCatalogue {
  readonly scopes: readonly string[];
  readonly meanings: Readonly<Record<string, string>>;
  readonly presets: Readonly<Record<string, readonly string[]>>;
}

/** Those of the core and of these plugins. */
export const scopeCatalogue = (plugins: readonly Pick<Plugin, 'scopes'>[] = []): ScopeCatalogue => {
  const declared = plugins.flatMap(({ scopes = [] }) => scopes);
  const scopes = [...SCOPES, ...declared.map(({ scope }) => scope)];
  const presets: Record<string, readonly string[]> = { ...KEY_PRESETS };
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
const scopesOf = (
  { scopes, presets }: ScopeCatalogue,
  names: readonly string[],
  given: readonly string[],
): readonly string[] => {
  const wanted = new Set([...names.flatMap((name) => presets[name] ?? []), ...given]);
  return scopes.filter((scope) => wanted.has(scope));
};

const KeyView = viewOf<Schemas['ApiKey']>('key_id');
type KeyView = Schemas['ApiKey'];

const AllowedRemovals = viewOf<Schemas['AllowedRemovals']>('allowed_until');
const NewKeyView = viewOf<Schemas['CreatedApiKey']>('key');

const lastUse = ({ last_used_at }: KeyView, now: Date): string =>
  last_used_at === null
    ? 'it was never used'
    : `it was last used ${relativeTime(new Date(last_used_at), now)}`;

/** Prints the key alone to standard output, so that it can be captured. */
const printNewKey = (session: Session, response: GatewayResponse): void => {
  const created = session.read(NewKeyView, response);
  const base = `${session.access.publicUrl}/v1/${session.tenant}`;
  const isScim = (scope: string): boolean => scope.startsWith('scim:');
  session.note(`Created API key ${created.prefix}. Copy it now: it cannot be shown again.\n\n`);
  session.print({
    people: () => `${created.key}\n`,
    json: response.text,
    quiet: () => created.key,
  });
  const fields: readonly (readonly [string, string])[] = [
    ['description', printable(created.description)],
    ['scopes', created.scopes.join(', ')],
    ['id', created.key_id],
    ...(created.expires_at === null
      ? []
      : [['expires', formatTime(created.expires_at, session.context.now())] as const]),
    ...(created.scopes.some(isScim) ? [['SCIM URL', `${base}/scim/v2`] as const] : []),
    ...(created.scopes.every(isScim) ? [] : [['REST URL', base] as const]),
  ];
  session.note(`\n${renderFields(fields, session.notePaint)}`);
};

interface Given {
  readonly preset?: readonly string[];
  readonly scope?: readonly string[];
  readonly description?: string;
  readonly expires_at?: string;
}

const createVerb = (catalogue: ScopeCatalogue): CreateVerb<KeyView> => ({
  summary: 'create an API key and show it once',
  description:
    'Create an API key and show it. It cannot be shown again: the gateway stores only a hash. The ' +
    'key is printed to standard output, everything else to standard error. Pass --preset or --scope.',
  options: [
    { flags: '--description <text>', help: 'who uses the key (default: its presets and scopes)' },
    {
      flags: '--preset <name>',
      help: 'a set of scopes for a common use; repeatable, or separated by commas',
      choices: Object.keys(catalogue.presets),
      parse: parseList(Object.keys(catalogue.presets)),
    },
    {
      flags: '--scope <scope>',
      help: 'a scope; repeatable, or separated by commas',
      choices: catalogue.scopes,
      parse: parseList(catalogue.scopes),
    },
    {
      flags: '--expires <time>',
      field: 'expires_at',
      help: 'when it stops working: a date, or how long from now, such as 90d (default: never)',
      parse: parseFutureTime,
    },
  ],
  complete: (body) => {
    const { preset = [], scope = [], description, expires_at }: Given = body;
    const scopes = scopesOf(catalogue, preset, scope);
    if (scopes.length === 0)
      usageError(
        'A key needs scopes; pass --preset or --scope.',
        'Run "rollgate key create --help" for usage.',
      );
    return {
      description: description ?? [...preset, ...scope].join(' '),
      scopes,
      ...(expires_at !== undefined && { expires_at }),
    };
  },
  print: printNewKey,
  sections: {
    Presets: Object.entries(catalogue.presets).map(([name, scopes]) => [
      name,
      name === ALL ? 'all scopes' : scopes.join(' '),
    ]),
    Scopes: catalogue.scopes.map((scope) => [scope, catalogue.meanings[scope] ?? '']),
  },
  examples: [
    ['rollgate key create acme --description Okta --preset idp', 'for an identity provider'],
    ['rollgate key create acme --description Board --scope usage', 'with one scope'],
    ['rollgate key create acme --preset idp --expires 90d', 'which stops working in 90 days'],
    ['KEY=$(rollgate key create acme --description CI --preset all -q)', 'into a variable'],
  ],
});

const rotate: Action<KeyView> = {
  name: 'rotate',
  aliases: ['roll'],
  canDryRun: true,
  summary: 'create a replacement for a key',
  description:
    'Create a key with the same description, scopes and time to live, and show it once. The old key stays valid ' +
    'until you delete it. Switch the integration to the new key, check with "rollgate key list" ' +
    'that the old one is no longer used, then delete it.',
  run: async ({ session, path, item }) => {
    const old = await item();
    const { description, scopes, expires_at: expires, created_at: created } = old;
    const collection = path.slice(0, path.lastIndexOf('/'));
    const livesMs = expires === null ? null : Date.parse(expires) - Date.parse(created);
    const response = await session.client.request('POST', collection, {
      body: {
        description,
        scopes,
        ...(livesMs !== null && {
          expires_at: new Date(session.context.now().getTime() + livesMs).toISOString(),
        }),
      },
    });
    printNewKey(session, response);
    session.note(
      `\nThe old key ${old.prefix} is still valid; ${lastUse(old, session.context.now())}.\n` +
        `When the integration uses the new key, delete the old one:\n` +
        `  rollgate key delete ${session.tenant} ${old.prefix}\n`,
    );
    return 'printed';
  },
  examples: [['rollgate key rotate acme rg_4fJx09Qa', 'by its prefix']],
};

const allowRemovals: Action<KeyView> = {
  name: 'allow-removals',
  canDryRun: true,
  summary: 'lift the limit of removals of a key for an hour',
  description:
    "Lift the tenant's limit of SCIM removals (scim.max_removals_per_hour) for this key for an hour. " +
    'Look at "rollgate log list" first: the refused requests have the code REMOVALS_HELD.',
  run: async ({ session, request, path }) => {
    const response = await request('POST', `${path}/allow-removals`);
    const { allowed_until: until } = AllowedRemovals.parse(response);
    const text = `Allowed until ${formatTime(until, session.context.now())}.\n`;
    return { sections: [{ text }], quiet: [until] };
  },
  examples: [['rollgate key allow-removals acme rg_4fJx09Qa', 'by its prefix']],
};

const findKey = byScan<KeyView>(
  { items: 'api_keys', view: KeyView, id: ({ key_id }) => key_id, noun: 'an API key' },
  ['prefix'],
);

const locateKey: Locate = (session, path, wanted) =>
  /^rg_[^_]+_/.test(wanted)
    ? usageError('This is the key itself. Keys are secrets; pass its id or prefix instead.')
    : findKey(session, path, wanted);

/** API keys can have the scopes of the core and of the enabled plugins. */
export const keyResource = (catalogue: ScopeCatalogue) =>
  defineResource({
    name: 'key',
    noun: 'an API key',
    plural: 'API keys',
    summary: 'manage API keys',
    description: "API keys: the credentials of a tenant's integrations.",
    path: '/api-keys',
    items: 'api_keys',
    view: KeyView,
    fields: [
      { label: 'prefix', text: ({ prefix }) => prefix },
      { label: 'description', text: ({ description }) => description, wrapAt: 30 },
      { label: 'scopes', text: ({ scopes }) => scopes.join(' '), wrapAt: 32 },
      {
        label: 'last used',
        text: ({ last_used_at: used, is_unused: isUnused }, { now }) =>
          (used === null ? 'never' : formatTime(used, now)) +
          (isUnused ? ', not used for 90 days' : ''),
      },
      {
        label: 'expires',
        text: ({ expires_at: at }, { now }) => (at === null ? 'never' : formatTime(at, now)),
      },
      { label: 'created', time: ({ created_at }) => created_at },
      { label: 'id', text: ({ key_id }) => key_id },
    ],
    id: ({ key_id }) => key_id,
    label: ({ prefix }) => prefix,
    item: { name: '<key>', help: "the key's id or prefix" },
    locate: locateKey,
    create: createVerb(catalogue),
    list: {
      summary: 'list API keys and their last use',
      description: 'List the API keys of a tenant with their scopes and last use, oldest first.',
      examples: [['rollgate key list acme', 'all keys']],
    },
    show: {
      summary: 'show an API key, without the secret',
      description: 'Show the description, scopes and last use of an API key.',
      examples: [['rollgate key show acme rg_4fJx09Qa', 'by its prefix']],
    },
    delete: {
      description:
        'Delete an API key. Requests with it are refused within a second. Asks for confirmation.',
      warning: (key, tenant, { now }) =>
        `This deletes API key ${key.prefix} (${key.description}) of ${tenant}; ` +
        `${lastUse(key, now)}. This cannot be undone.`,
      examples: [
        ['rollgate key delete acme rg_4fJx09Qa', 'asks for confirmation'],
        ['rollgate key delete acme 0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59 --yes', 'for scripts'],
      ],
    },
    actions: [rotate, allowRemovals],
  });
