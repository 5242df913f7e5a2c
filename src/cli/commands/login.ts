import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { usageError } from '../cli-error.js';
import { completeBy } from '../completions.js';
import { checkToken, checkUrl } from '../gateway-access.js';
import { addExamples } from '../help.js';
import { type GlobalOptions, printResult } from '../output.js';
import { LOCAL, type Profile, profilesFile, readProfiles, writeProfiles } from '../profiles.js';
import { globalOptionsOf, openSessionWith } from '../session.js';
import { renderTable } from '../table.js';
import { createPaint, printable } from '../terminal-text.js';

/** `rollgate login` and `rollgate profile …` */
export const addLoginCommands = (program: Command, context: CliContext): void => {
  addLogin(program, context);
  const profile = program
    .command('profile')
    .helpCommand(false)
    .summary('list, select and delete stored servers')
    .description(
      `Profiles: servers with their credentials, stored by "rollgate login" in ` +
        `~/.config/rollgate/profiles.json, readable by you only. Commands use the current profile, ` +
        `unless options or variables name a server. "${LOCAL}" means the gateway that is configured ` +
        'in this folder.',
    );
  addList(profile, context);
  addUse(profile, context);
  addDelete(profile, context);
};

const DEFAULT_NAME = 'default';

const addLogin = (program: Command, context: CliContext): void => {
  const login = program
    .command('login')
    .summary('store the address and credential of a server')
    .description(
      'Store a server and its admin token, or an API key, as a profile (--profile, or "default"), and ' +
        'make it the current one. Asks for the credential; with "--token -" or "--api-key -", reads it from standard input. ' +
        'An admin token is checked first.',
    )
    .argument('<url>', 'address of the gateway')
    .action(async (url: string) => {
      const options = globalOptionsOf(login);
      const { profile: name = DEFAULT_NAME, caFile } = options;
      if (name === LOCAL) usageError(`"${LOCAL}" is no name of a profile: it means no profile.`);
      const profile: Profile = {
        url: checkUrl(url, 'The address'),
        ...(await readCredential(options, context)),
        ...(caFile !== undefined && { ca_file: resolve(context.cwd, caFile) }),
      };
      if (profile.credential === 'admin token') await checkAdminToken(profile, context);
      const { profiles } = readProfiles(context);
      const path = writeProfiles(context, {
        current: name,
        profiles: { ...profiles, [name]: profile },
      });
      printResult(login, context, {
        people: () =>
          `Stored the ${profile.credential} of ${profile.url} as profile ${name} in ${path}.\n` +
          'It is the current profile now.\n',
        json: JSON.stringify({ profile: name, url: profile.url, credential: profile.credential }),
        quiet: () => name,
      });
    });
  addExamples(login, [
    ['rollgate login https://rollgate.example.com', 'asks for the admin token or API key'],
    ['rollgate login https://rollgate.example.com --profile prod', 'one of several servers'],
    ['cat token | rollgate login https://rollgate.example.com --token -', 'for scripts'],
  ]);
};

const readCredential = async (
  { token, apiKey }: GlobalOptions,
  { ask, readLine }: CliContext,
): Promise<Pick<Profile, 'credential' | 'token'>> => {
  const given = apiKey ?? token;
  const asked = (): Promise<string> =>
    ask
      ? ask('Admin token or API key: ', true)
      : usageError('Not a terminal; pass "--token -" or "--api-key -".');
  const value = given === undefined ? await asked() : given === '-' ? await readLine() : given;
  const source = 'The credential';
  const credential = checkToken({ value: value.trim(), source }).value;
  const isKey = apiKey !== undefined || (token === undefined && credential.startsWith('rg_'));
  return { credential: isKey ? 'API key' : 'admin token', token: credential };
};

const checkAdminToken = async (
  { url, token, ca_file: caFile }: Profile,
  context: CliContext,
): Promise<void> => {
  const options: GlobalOptions = { url, token, caFile, output: 'table', json: false, quiet: false };
  const session = openSessionWith(context, options);
  await session.client.request('GET', '/tenants', { query: { limit: 1 } });
};

interface Row {
  readonly name: string;
  readonly url: string;
  readonly credential: string;
  readonly is_current: boolean;
}

const addList = (group: Command, context: CliContext): void => {
  const list = group
    .command('list')
    .summary('list profiles, without their credentials')
    .description('List profiles, without their credentials. The current one is marked.')
    .action(() => {
      const { current, profiles } = readProfiles(context);
      const rows = Object.entries(profiles).map(([name, { url, credential }]): Row => ({
        ...{ name, url, credential },
        is_current: name === current,
      }));
      printResult(list, context, {
        people: () =>
          rows.length === 0
            ? `No profiles in ${profilesFile(context) ?? 'your home folder'}.\n`
            : renderTable<Row>(
                [
                  { title: 'NAME', cell: ({ name }) => printable(name) },
                  { title: 'URL', cell: ({ url }) => printable(url) },
                  { title: 'CREDENTIAL', cell: ({ credential }) => credential },
                  { title: 'CURRENT', cell: ({ is_current: is }) => (is ? 'yes' : '') },
                ],
                rows,
                createPaint(context.stdout.hasColours),
              ),
        json: JSON.stringify(rows),
        quiet: () => rows.map(({ name }) => name).join('\n'),
      });
    });
  addExamples(list, [['rollgate profile list', 'all profiles']]);
};

const addUse = (group: Command, context: CliContext): void => {
  const use = group
    .command('use')
    .summary('select the current profile')
    .description('Select the profile that commands use without --profile.')
    .argument('<profile>', `name of a profile, or "${LOCAL}"`)
    .action((name: string) => {
      const stored = readProfiles(context);
      if (name !== LOCAL) requireProfile(stored.profiles, name);
      writeProfiles(context, { ...stored, current: name === LOCAL ? null : name });
      context.stderr.write(`Current profile: ${name}.\n`);
    });
  completeBy(use.registeredArguments[0], () => Promise.resolve(namesIn(context)));
  addExamples(use, [
    ['rollgate profile use prod', 'another server'],
    ['rollgate profile use local', 'the gateway of this folder'],
  ]);
};

const addDelete = (group: Command, context: CliContext): void => {
  const remove = group
    .command('delete')
    .summary('delete a profile and its credential')
    .description('Delete a profile from this machine. Its credential stays valid on the server.')
    .argument('<profile>', 'name of a profile')
    .action((name: string) => {
      const { current, profiles } = readProfiles(context);
      requireProfile(profiles, name);
      const others = Object.entries(profiles).filter(([other]) => other !== name);
      writeProfiles(context, {
        current: current === name ? null : current,
        profiles: Object.fromEntries(others),
      });
      context.stderr.write(`Deleted profile ${name}. Its credential stays valid on the server.\n`);
    });
  completeBy(remove.registeredArguments[0], () => Promise.resolve(namesIn(context)));
  addExamples(remove, [['rollgate profile delete prod', 'the profile prod']]);
};

const namesIn = (context: CliContext): readonly string[] =>
  Object.keys(readProfiles(context).profiles);

const requireProfile = (profiles: Readonly<Record<string, Profile>>, name: string): void => {
  if (!Object.hasOwn(profiles, name))
    usageError(`Unknown profile "${name}".`, 'List all: rollgate profile list');
};
