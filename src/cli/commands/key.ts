import type { Command } from 'commander';
import { z } from 'zod';
import { SCOPES } from '../../domain/scopes.js';
import { misuse } from '../command-failure.js';
import { confirm } from '../confirm.js';
import { printable } from '../display-width.js';
import { findKey } from '../find-key.js';
import { addExamples, addHelpSection } from '../help.js';
import { addPaging, describePage, pageQueryOf } from '../paging.js';
import { collectFrom, parseSlug } from '../parse-argument.js';
import { PRESET_NAMES, SCOPE_MEANINGS, SCOPE_PRESETS, scopesOf } from '../scope-presets.js';
import { openSession } from '../session.js';
import { keyTable, lastUse, showNewKey } from '../show-keys.js';
import { CreatedKey, KeyPage } from '../views.js';
import type { World } from '../world.js';

const NewKey = z.object({
  description: z.string().optional(),
  scope: z.array(z.enum(SCOPES)).default([]),
  preset: z.array(z.enum(PRESET_NAMES)).default([]),
});

const pathOf = (slug: string): string => `/tenants/${slug}/api-keys`;

const addCreate = (key: Command, world: World): void => {
  const create = key
    .command('create')
    .summary('make a key and show it, once')
    .description(
      'Makes an API key and shows it. It is shown only then: the gateway keeps no copy. The key ' +
        'alone goes to the standard output, everything else to the standard error.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .option('--description <text>', 'its label: who holds it; else the preset or scopes')
    .option('--preset <name>', 'the scopes of a usual holder', collectFrom(PRESET_NAMES))
    .option('--scope <scope>', 'a scope; may be given often', collectFrom(SCOPES))
    .action(async (slug: string) => {
      const {
        preset,
        scope,
        description = [...preset, ...scope].join(' '),
      } = NewKey.parse(create.opts());
      const scopes = scopesOf(preset, scope);
      if (scopes.length === 0)
        misuse('A key needs scopes: give --preset or --scope.', 'rollgate key create --help');
      const session = openSession(world, create);
      const body = { description, scopes };
      const answer = await session.client.request('POST', pathOf(slug), { body });
      showNewKey(session, slug, answer);
    });
  addExamples(create, [
    ['rollgate key create acme --description Okta --preset idp', 'for an identity provider'],
    ['rollgate key create acme --description Board --scope usage', 'with one scope'],
    ['KEY=$(rollgate key create acme --description CI --preset all -q)', 'into a variable'],
  ]);
  addHelpSection(
    create,
    'Presets',
    PRESET_NAMES.map((name) => [
      name,
      name === 'all' ? 'every scope' : SCOPE_PRESETS[name].join(' '),
    ]),
  );
  addHelpSection(
    create,
    'Scopes',
    SCOPES.map((scope) => [scope, SCOPE_MEANINGS[scope]]),
  );
};

const addList = (key: Command, world: World): void => {
  const list = addPaging(key.command('list'))
    .summary("list a tenant's keys and their last use")
    .description("Lists a tenant's keys: who holds them, what they may do, when they were used.")
    .argument('<slug>', "the tenant's slug", parseSlug)
    .action(async (slug: string) => {
      const session = openSession(world, list);
      const query = pageQueryOf(list);
      const answer = await session.client.request('GET', pathOf(slug), { query });
      const page = session.read(KeyPage, answer);
      session.print({
        people: () => keyTable(page.api_keys, session),
        json: answer.text,
        quiet: () => page.api_keys.map(({ key_id }) => key_id).join('\n'),
      });
      const rest = describePage(page, page.api_keys.length, 'keys');
      if (page.total === 0) session.note(`${slug} has no keys. "rollgate key create" makes one.\n`);
      if (rest !== undefined) session.note(`\n${rest}\n`);
    });
  addExamples(list, [['rollgate key list acme', 'as a table']]);
};

const addRoll = (key: Command, world: World): void => {
  const roll = key
    .command('roll')
    .summary('make a copy of a key, to take its place')
    .description(
      'Makes a key with the same description and scopes and shows it, once. Keys do not expire: ' +
        'the old one stays valid until it is deleted. So: roll, switch the integration over, ' +
        'see in "rollgate key list" that the old key is no longer used, delete it.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<key>', "the key's id, or its prefix as listed")
    .action(async (slug: string, wanted: string) => {
      const session = openSession(world, roll);
      const old = await findKey(session, slug, wanted);
      const body = { description: old.description, scopes: old.scopes };
      const answer = await session.client.request('POST', pathOf(slug), { body });
      const made = session.read(CreatedKey, answer);
      showNewKey(session, slug, answer);
      session.note(
        `\nThe old key ${old.prefix} stays valid until you delete it; ${lastUse(old, world.now())}.\n` +
          `Switch the integration to ${made.prefix}, then\n` +
          `  rollgate key delete ${slug} ${old.key_id}\n`,
      );
    });
  addExamples(roll, [
    ['rollgate key roll acme rg_4fJx09Qa', 'by the prefix that "key list" shows'],
  ]);
};

const addDelete = (key: Command, world: World): void => {
  const remove = key
    .command('delete')
    .summary('delete a key: whoever uses it is cut off')
    .description('Deletes a key. Requests with it are refused within a second. Asks first.')
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<key>', "the key's id, or its prefix as listed")
    .option('-y, --yes', 'do not ask')
    .action(async (slug: string, wanted: string) => {
      const session = openSession(world, remove);
      const old = await findKey(session, slug, wanted);
      const yes = remove.getOptionValue('yes') === true;
      const label = `${old.prefix} (${printable(old.description)}) of ${slug}`;
      const warning = `This deletes the key ${label}; ${lastUse(old, world.now())}.`;
      await confirm({ warning, word: old.prefix, yes }, world);
      await session.client.request('DELETE', `${pathOf(slug)}/${old.key_id}`);
      session.note(`Key ${old.prefix} is deleted.\n`);
    });
  addExamples(remove, [
    ['rollgate key delete acme rg_4fJx09Qa', 'asks first'],
    ['rollgate key delete acme 0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59 --yes', 'for scripts'],
  ]);
};

export const addKeyCommands = (program: Command, world: World): void => {
  const key = program
    .command('key')
    .summary('make, list, roll and delete API keys')
    .description("API keys: what a tenant's integrations show to be let in.");
  addCreate(key, world);
  addList(key, world);
  addRoll(key, world);
  addDelete(key, world);
};
