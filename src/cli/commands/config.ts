import type { Command } from 'commander';
import { configJsonSchema } from '../../../config/config-json-schema.js';
import { ConfigError, type ConfigProblem } from '../../../config/config-error.js';
import { type DescribedSetting, describeConfig } from '../../../config/describe-config.js';
import type { LoadOptions } from '../../../config/load-config.js';
import { inspectConfig } from '../../start/check-config.js';
import { loadPlugins } from '../../start/load-extensions.js';
import type { CliContext } from '../cli-context.js';
import { CliError } from '../cli-error.js';
import { printable, createPaint } from '../terminal-text.js';
import { addExamples, addHelpSection } from '../help.js';
import { formatOf, printResult } from '../output.js';
import { renderTable } from '../table.js';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Every setting of the core and of extensions; throws a ConfigError if a gateway would not start. */
const readSettings = async (
  options: LoadOptions,
): Promise<{
  readonly settings: readonly DescribedSetting[];
  /** What is wrong with connectors, which a gateway starts without. */
  readonly connectorProblems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}> => {
  const plugins = await loadPlugins(options);
  const { problems, connectorProblems, warnings, loaded } = inspectConfig(options, plugins);
  if (problems.length > 0 || !loaded) throw new ConfigError([...problems, ...connectorProblems]);
  return { settings: describeConfig(loaded, plugins.sections), connectorProblems, warnings };
};

/** `3 from config/rollgate.yaml, 1 from the environment, 17 at defaults` */
const countOrigins = (settings: readonly DescribedSetting[]): string => {
  const counts = new Map<string, number>();
  for (const { origin } of settings) {
    const source = sourceOf(origin);
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return [...counts].map(([source, count]) => `${count} ${source}`).join(', ');
};

const sourceOf = (origin: string): string => {
  if (origin === 'default') return 'at defaults';
  if (origin.startsWith('environment variable')) return 'from the environment';
  return `from ${origin.replace(/:\d+$/, '')}`;
};

const addCheck = (config: Command, context: CliContext): void => {
  const check = config
    .command('check')
    .summary('check the configuration without starting')
    .description(
      'Check the configuration as "rollgate serve" reads it: the settings file, environment ' +
        'variables, sections of plugins and connectors, and files that settings refer to. Prints ' +
        'every error with its location and exits with 1 if there is any. Warnings do not change ' +
        'the exit code.',
    )
    .action(async () => {
      try {
        const { settings, connectorProblems, warnings } = await readSettings(context);
        if (connectorProblems.length > 0) throw new ConfigError(connectorProblems);
        printResult(check, context, {
          people: () => `Configuration valid (settings: ${countOrigins(settings)}).\n`,
          json: asJson({ ok: true, problems: [], warnings }),
        });
        if (formatOf(check) === 'table')
          for (const warning of warnings)
            context.stderr.write(`warning: ${problemLine(warning)}\n`);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        const json = asJson({ ok: false, problems: error.problems });
        printResult(check, context, { people: () => '', json });
        throw new CliError('FAILED', ...explain(error));
      }
    });
  addExamples(check, [
    ['rollgate config check', 'the configuration of "rollgate serve"'],
    ['rollgate config check --config deploy/rollgate.yaml', 'another file'],
  ]);
};

const explain = ({ problems }: ConfigError): [string, string[]] => [
  problems.length === 1
    ? 'The configuration has an error.'
    : `The configuration has ${problems.length} errors.`,
  problems.map(problemLine),
];

/** `config/rollgate.yaml:12: port: expected a number` */
export const problemLine = ({ place, key, message }: ConfigProblem): string =>
  [place, key, message].filter(Boolean).join(': ');

const addSchema = (config: Command, context: CliContext): void => {
  const schema = config
    .command('schema')
    .summary('print the JSON Schema of the settings file')
    .description('Print the JSON Schema of the settings file, for completion in editors.')
    .action(async () => {
      const { sections } = await loadPlugins(context);
      context.stdout.write(asJson(configJsonSchema(sections)));
    });
  addHelpSection(schema, 'In an editor', [
    ['# yaml-language-server: $schema=rollgate.schema.json', 'first line of the settings file'],
  ]);
  addExamples(schema, [
    ['rollgate config schema > rollgate.schema.json', 'write the schema to a file'],
  ]);
};

const addShow = (config: Command, context: CliContext): void => {
  const show = config
    .command('show')
    .summary('show every setting with its source')
    .description(
      'Show every setting with its value, its source, and the environment variable that sets it. ' +
        'Secrets are hidden, so the output can be shared.',
    )
    .action(async () => {
      const { settings } = await readSettings(context);
      printResult(show, context, {
        people: () => settingsTable(settings, context),
        json: asJson(settings),
        quiet: () => settings.map(({ key }) => key).join('\n'),
      });
    });
  addExamples(show, [['rollgate config show', 'all settings']]);
};

const settingsTable = (settings: readonly DescribedSetting[], { stdout }: CliContext): string => {
  const { dim } = createPaint(stdout.hasColours);
  const showValue = ({ value }: DescribedSetting): string =>
    value === null ? '-' : printable(typeof value === 'string' ? value : JSON.stringify(value));
  // The variable is in the next column.
  const showSource = ({ origin, variable }: DescribedSetting): string => {
    if (origin === 'default') return dim(origin);
    return origin === `environment variable ${variable}` ? 'environment' : origin;
  };
  return renderTable<DescribedSetting>(
    [
      { title: 'SETTING', cell: ({ key }) => key },
      { title: 'VALUE', cell: showValue },
      { title: 'SOURCE', cell: showSource },
      { title: 'VARIABLE', cell: ({ variable }) => variable },
    ],
    settings,
    createPaint(stdout.hasColours),
  );
};

export const addConfigCommands = (program: Command, context: CliContext): void => {
  const config = program
    .command('config')
    .helpCommand(false)
    .summary('check and show the configuration')
    .description('The configuration: one YAML file, overridden by environment variables.');
  addCheck(config, context);
  addShow(config, context);
  addSchema(config, context);
};
