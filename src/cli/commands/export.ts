import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { RollgateClient } from '../../client/index.js';
import type { Plugin } from '../../start/load-extensions.js';
import { addCommand, type CommandForm } from '../add-command.js';
import type { CliContext } from '../cli-context.js';
import { CliError, codeOf } from '../cli-error.js';
import { type Column, renderTable } from '../table.js';

const query = { limit: 500 };

type Path = { readonly slug: string };

/** Lists of a tenant, by the name of their file. */
type Lists = Readonly<Record<string, (api: RollgateClient, path: Path) => AsyncIterable<object>>>;

const LISTS: Lists = {
  users: (api, path) => api.list('/admin/v1/tenants/{slug}/users', { path, query }),
  groups: (api, path) => api.list('/admin/v1/tenants/{slug}/groups', { path, query }),
  'group-members': async function* (api, path) {
    for await (const { id } of api.list('/admin/v1/tenants/{slug}/groups', { path, query }))
      for await (const member of api.list('/admin/v1/tenants/{slug}/groups/{id}/members', {
        path: { ...path, id },
        query,
      }))
        yield { group_id: id, ...member };
  },
  rooms: (api, path) => api.list('/admin/v1/tenants/{slug}/rooms', { path, query }),
  'room-members': async function* (api, path) {
    for await (const { id } of api.list('/admin/v1/tenants/{slug}/rooms', { path, query }))
      for await (const member of api.list('/admin/v1/tenants/{slug}/rooms/{id}/members', {
        path: { ...path, id },
        query,
      }))
        yield { room_id: id, ...member };
  },
  'role-mappings': (api, path) =>
    api.list('/admin/v1/tenants/{slug}/role-mappings', { path, query }),
  'sms-lists': (api, path) => api.list('/admin/v1/tenants/{slug}/sms-lists', { path, query }),
  'sms-members': async function* (api, path) {
    for await (const { id } of api.list('/admin/v1/tenants/{slug}/sms-lists', { path, query }))
      for await (const member of api.list('/admin/v1/tenants/{slug}/sms-lists/{id}/members', {
        path: { ...path, id },
        query,
      }))
        yield { list_id: id, ...member };
  },
  attributes: async function* (api, path) {
    yield* (await api.get('/admin/v1/tenants/{slug}/schema-extension', { path })).attributes;
  },
  'api-keys': (api, path) => api.list('/admin/v1/tenants/{slug}/api-keys', { path, query }),
  log: (api, path) => api.list('/admin/v1/tenants/{slug}/commands', { path, query }),
};

/** The lists that plugins export, of the plugins that are enabled. */
const listsOf = (plugins: readonly Plugin[]): Lists =>
  Object.fromEntries(
    plugins
      .flatMap(({ commands = [] }) => commands)
      .filter(({ list, perTenant, parent }) => list?.isExported && perTenant !== false && !parent)
      .map((resource) => [
        resource.items,
        (api, path) =>
          // The client's types have the paths of the built-in plugins only.
          (api.list as ListPath)(`/admin/v1/tenants/{slug}${resource.path}`, { path, query }),
      ]),
  );

type ListPath = (path: string, options: object) => AsyncIterable<object>;

interface Written {
  readonly file: string;
  readonly lines: number;
}

const COLUMNS: readonly Column<Written>[] = [
  { title: 'FILE', cell: ({ file }) => file },
  { title: 'LINES', cell: ({ lines }) => String(lines), align: 'right' },
];

/** `rollgate export acme` */
export const addExportCommand = (program: Command, context: CliContext): void => {
  const lists = { ...LISTS, ...listsOf(context.plugins ?? []) };
  const form: CommandForm = {
    name: 'export',
    summary: 'export the data of a tenant to a folder',
    description:
      'Write the settings, users, groups, rooms, role mappings, SMS lists, attributes, API keys and ' +
      'the provisioning log of a tenant to a folder, and what its plugins list: a file each, with one ' +
      'JSON document per line. Phone numbers are masked. Secrets, events, setup links and captured ' +
      'requests are not included.',
    arguments: [{ name: '[folder]', help: 'new or empty folder (default: <tenant>-export)' }],
    examples: [
      ['rollgate export acme', 'to the folder acme-export'],
      ['rollgate export acme /backup/acme --json', 'with a summary as JSON'],
    ],
  };
  addCommand(program, context, form, async ({ session, args: [given] }) => {
    const slug = session.tenant ?? '';
    const tenant = await session.call((api) =>
      api.get('/admin/v1/tenants/{slug}', { path: { slug } }),
    );
    const folder = resolve(context.cwd, given ?? `${slug}-export`);
    await createFolder(folder);
    const files: Written[] = [];
    await session.call(async (api) => {
      for (const [name, read] of Object.entries(lists)) {
        session.note(`Exporting ${titleOf(name)} …\n`);
        const file = `${name}.ndjson`;
        files.push({ file, lines: await writeLines(join(folder, file), read(api, { slug })) });
      }
    });
    const manifest = { tenant, exported_at: context.now().toISOString(), folder, files };
    await writeFile(join(folder, 'tenant.json'), `${JSON.stringify(tenant, null, 2)}\n`, {
      mode: 0o600,
    });
    session.print({
      people: () => `${renderTable(COLUMNS, files, session.paint)}\nExported to ${folder}.\n`,
      json: JSON.stringify(manifest),
      quiet: () => folder,
    });
  });
};

/** `SMS lists` of `sms-lists` */
const titleOf = (name: string): string =>
  name
    .replaceAll('-', ' ')
    .replace(/\bsms\b/, 'SMS')
    .replace(/\bapi\b/, 'API');

const createFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    throw new CliError('FAILED', `Cannot use the folder ${folder} (${codeOf(error)}).`);
  }
  throw new CliError('FAILED', `${folder} is not empty. Choose another folder.`);
};

/** Returns their number. */
const writeLines = async (path: string, items: AsyncIterable<object>): Promise<number> => {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let lines = 0;
  try {
    for await (const item of items) {
      if (!file.write(`${JSON.stringify(item)}\n`)) await once(file, 'drain');
      lines += 1;
    }
  } finally {
    file.end();
    await once(file, 'close');
  }
  return lines;
};
