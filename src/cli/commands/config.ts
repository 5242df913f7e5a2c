import type { Command } from 'commander';
import { configJsonSchema } from '../../../config/config-json-schema.js';
import { ConfigError } from '../../../config/config-error.js';
import { type DescribedSetting, describeConfig } from '../../../config/describe-config.js';
import { checkConfig, loadPlugins } from '../../check-config.js';
import { CommandFailure, EXIT } from '../command-failure.js';
import { printable } from '../display-width.js';
import { addExamples } from '../help.js';
import { createPaint } from '../paint.js';
import { styleOf } from '../session.js';
import { renderTable } from '../table.js';
import type { World } from '../world.js';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const optionsFor = ({ env, cwd }: World, path: string | undefined) => ({
  env,
  cwd,
  ...(path !== undefined && { path }),
});

/** `3 settings from config/rollgate.yaml, 1 from the environment, 17 by default` */
const countOrigins = (settings: readonly DescribedSetting[]): string => {
  const counts = new Map<string, number>();
  for (const { origin } of settings) {
    const source = sourceOf(origin);
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return [...counts].map(([source, count]) => `${count} ${source}`).join(', ');
};

const sourceOf = (origin: string): string => {
  if (origin === 'default') return 'by default';
  if (origin.startsWith('environment variable')) return 'from the environment';
  return `from ${origin.replace(/:\d+$/, '')}`;
};

const addCheck = (config: Command, world: World): void => {
  const check = config
    .command('check')
    .summary('check the configuration, without starting')
    .description(
      'Checks the configuration as a start would read it: the file, what the environment puts ' +
        'over it, variables that set nothing, the sections of plugins, and the files that settings ' +
        'name. Prints OK, or every error with its place, and then exits with 1.',
    )
    .argument('[file]', 'the file; else ROLLGATE_CONFIG, else config/rollgate.yaml')
    .action(async (file: string | undefined) => {
      const plugins = await loadPlugins();
      const style = styleOf(check);
      try {
        const settings = describeConfig(checkConfig(optionsFor(world, file), plugins), plugins);
        if (style === 'json') world.out.write(asJson({ ok: true, problems: [] }));
        if (style === 'people') world.out.write(`OK. Settings: ${countOrigins(settings)}.\n`);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (style !== 'json') throw new CommandFailure(EXIT.refused, ...explain(error));
        world.out.write(asJson({ ok: false, problems: error.problems }));
        throw new CommandFailure(EXIT.refused, explain(error)[0]);
      }
    });
  addExamples(check, [
    ['rollgate config check', 'the one that a start would take'],
    ['rollgate config check deploy/rollgate.yaml', 'another one'],
  ]);
};

const explain = ({ problems }: ConfigError): [string, string[]] => [
  problems.length === 1
    ? 'The configuration has an error.'
    : `The configuration has ${problems.length} errors.`,
  problems.map(({ place, key, message }) => [place, key, message].filter(Boolean).join(': ')),
];

const addSchema = (config: Command, world: World): void => {
  const schema = config
    .command('schema')
    .summary('print the JSON Schema of the settings file')
    .description('Prints the JSON Schema of the settings file: editors complete and check by it.')
    .action(async () => {
      const plugins = await loadPlugins();
      const sections = plugins.map(({ name, settings }) => [name, settings] as const);
      world.out.write(asJson(configJsonSchema(Object.fromEntries(sections))));
    });
  addExamples(schema, [
    ['rollgate config schema > rollgate.schema.json', 'for an editor, with this first line:'],
    ['# yaml-language-server: $schema=rollgate.schema.json', ''],
  ]);
};

const addShow = (config: Command, world: World): void => {
  const show = config
    .command('show')
    .summary('print every setting, its source and its variable')
    .description(
      'Prints every setting, its value here, where that comes from, and the environment variable ' +
        'that sets it. Secrets are not shown: the output may be pasted into an issue.',
    )
    .argument('[file]', 'the file; else ROLLGATE_CONFIG, else config/rollgate.yaml')
    .action(async (file: string | undefined) => {
      const plugins = await loadPlugins();
      const settings = describeConfig(checkConfig(optionsFor(world, file), plugins), plugins);
      if (styleOf(show) === 'json') world.out.write(asJson(settings));
      else world.out.write(settingsTable(settings, world));
    });
  addExamples(show, [['rollgate config show', 'as a table']]);
};

const settingsTable = (settings: readonly DescribedSetting[], { out }: World): string => {
  const { dim } = createPaint(out.hasColours);
  const showValue = ({ value }: DescribedSetting): string =>
    value === null ? '-' : printable(typeof value === 'string' ? value : JSON.stringify(value));
  // The variable itself stands in the next column.
  const showSource = ({ origin, variable }: DescribedSetting): string => {
    if (origin === 'default') return dim(origin);
    return origin === `environment variable ${variable}` ? 'environment' : origin;
  };
  return renderTable<DescribedSetting>(
    [
      { title: 'SETTING', cell: ({ key }) => key },
      { title: 'VALUE', cell: showValue },
      { title: 'FROM', cell: showSource },
      { title: 'VARIABLE', cell: ({ variable }) => variable },
    ],
    settings,
    createPaint(out.hasColours),
  );
};

export const addConfigCommands = (program: Command, world: World): void => {
  const config = program
    .command('config')
    .summary('check, explain and print the configuration')
    .description('The configuration: one YAML file, and the environment over it.');
  addCheck(config, world);
  addShow(config, world);
  addSchema(config, world);
};
