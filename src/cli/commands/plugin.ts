import type { Command } from 'commander';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../../config/config-error.js';
import type { LoadOptions } from '../../../config/load-config.js';
import { type CheckedConfig, inspectConfig } from '../../start/check-config.js';
import { builtInPlugins, loadPlugins, type Plugin } from '../../start/load-extensions.js';
import { addResources } from '../add-resource.js';
import type { CliContext } from '../cli-context.js';
import { CliError } from '../cli-error.js';
import { printResult } from '../output.js';
import { printable, createPaint } from '../terminal-text.js';
import { relativeTime } from '../format-time.js';
import { addExamples, addHelpSection } from '../help.js';
import { addNew } from './new-extension.js';
import { describeAccess, openSession } from '../session.js';
import { type Column, renderTable } from '../table.js';
import { type Schemas, viewOf } from '../view-of.js';

/** The enabled plugins of the configuration; the built-in ones if it cannot be read. */
export const enabledPlugins = async ({
  env,
  cwd,
}: Pick<CliContext, 'env' | 'cwd'>): Promise<readonly Plugin[]> => {
  try {
    const { enabled } = await loadPlugins({ env, cwd });
    return [...new Set(enabled.map(({ plugin }) => plugin))];
  } catch (error) {
    if (error instanceof ConfigError) return builtInPlugins();
    throw error;
  }
};

type Listed = Schemas['Plugin'];
const PluginPage = z.object({ plugins: z.array(viewOf<Listed>('name')) });

const listedAt = (now: Date): readonly Column<Listed>[] => [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'USES', cell: ({ use }) => (use === null ? 'built in' : printable(use)) },
  { title: 'VERSION', cell: ({ version = '-' }) => printable(version) },
  {
    title: 'PENDING',
    cell: ({ lag }) => (lag === null ? '-' : String(lag.pending ?? '?')),
    align: 'right',
  },
  {
    title: 'OVERDUE',
    cell: ({ lag }) => (lag?.overdue_seconds ? `${Math.round(lag.overdue_seconds)} s` : '-'),
    align: 'right',
  },
  { title: 'HEALTH', cell: ({ health }) => printable(health?.message ?? '-') },
  {
    title: 'LAST FAILURE',
    cell: ({ last_failure: failure }) =>
      failure ? printable(`${relativeTime(new Date(failure.at), now)}: ${failure.reason}`) : '-',
  },
];

const addList = (plugin: Command, context: CliContext): void => {
  const list = plugin
    .command('list')
    .summary('list the plugins of a gateway with their state')
    .description(
      'List the plugins of a gateway: state, events that are pending, by how long they are overdue, ' +
        'health and last failure.',
    )
    .action(async () => {
      const session = openSession(context, list);
      const response = await session.client.request('GET', '/plugins');
      const { plugins } = session.read(PluginPage, response);
      session.print({
        people: () => renderTable(listedAt(new Date()), plugins, session.paint),
        json: response.text,
        quiet: () => plugins.map(({ name }) => name).join('\n'),
      });
    });
  addHelpSection(list, 'Credentials', describeAccess());
  addExamples(list, [
    ['rollgate plugin list', 'as a table'],
    ['rollgate plugin list -o json | jq .plugins', 'with all fields'],
  ]);
};

interface Checked {
  readonly name: string;
  readonly use: string | null;
  readonly state: 'enabled' | 'disabled' | 'error';
}

const CHECKED: readonly Column<Checked>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'USES', cell: ({ use }) => (use === null ? 'built in' : printable(use)) },
];

/** Of a section and what stands in it. */
const isAbout =
  (name: string) =>
  (problem: ConfigProblem): boolean =>
    problem.key === `plugins.${name}` || problem.key.startsWith(`plugins.${name}.`);

/** Problems of plugins alone, and those of commands that the core has, too. */
const inspect = async (
  options: LoadOptions,
  coreCommands: readonly string[],
): Promise<{
  readonly checked: readonly Checked[];
  readonly problems: readonly ConfigProblem[];
}> => {
  const loaded = await loadPlugins(options);
  const taken = loaded.enabled.flatMap(({ name, plugin: { commands = [] } }) =>
    commands
      .filter((group) => coreCommands.includes(group.name))
      .map((group) => ({
        place: 'plugins',
        key: `plugins.${name}`,
        message: `its command "rollgate ${group.name}" has the name of a core command`,
      })),
  );
  const { plugins, problems }: CheckedConfig = inspectConfig(options, loaded);
  const found = [...problems.filter(({ key }) => key.startsWith('plugins.')), ...taken];
  const faulty = loaded.sections
    .map(({ name }) => name)
    .filter((name) => found.some(isAbout(name)));
  return {
    problems: found,
    checked: loaded.sections.map(({ name, use = null }): Checked => {
      const isDisabled = plugins.disabled.some((one) => one.name === name);
      const state = faulty.includes(name) ? 'error' : isDisabled ? 'disabled' : 'enabled';
      return { name, use, state };
    }),
  };
};

const addCheck = (plugin: Command, context: CliContext, coreCommands: readonly string[]): void => {
  const check = plugin
    .command('check')
    .summary('check the plugins of the configuration, without starting')
    .description(
      'Import the enabled plugins and check their declarations and settings. Exits with 1 if a ' +
        'plugin cannot be used.',
    )
    .action(async () => {
      const { checked, problems } = await inspect(context, coreCommands);
      printResult(check, context, {
        people: () => renderTable(CHECKED, checked, createPaint(context.stdout.hasColours)),
        json: JSON.stringify({ ok: problems.length === 0, plugins: checked, problems }, null, 2),
      });
      if (problems.length > 0)
        throw new CliError(
          'FAILED',
          problems.length === 1
            ? 'A plugin has an error.'
            : `Plugins have ${problems.length} errors.`,
          problems.map(({ place, key, message }) => `${place}: ${key}: ${message}`),
        );
    });
  addExamples(check, [
    ['rollgate plugin check', 'the plugins that a start would load'],
    ['rollgate plugin check --config deploy/rollgate.yaml', 'those of another file'],
  ]);
};

/** `rollgate plugin …`, and the commands of enabled plugins. */
export const addPluginCommands = (program: Command, context: CliContext): void => {
  const coreCommands = ['plugin', ...program.commands.map((command) => command.name())];
  const plugin = program
    .command('plugin')
    .helpCommand(false)
    .summary('list, check and write plugins')
    .description(
      'Plugins: extensions of the gateway, built in or your own, which the settings enable and ' +
        'configure.',
    );
  addList(plugin, context);
  addCheck(plugin, context, coreCommands);
  addNew(plugin, 'plugin', context);
  for (const { commands = [] } of context.plugins ?? [])
    addResources(
      program,
      context,
      commands.filter(({ name }) => !coreCommands.includes(name)),
    );
};
