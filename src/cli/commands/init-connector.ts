import type { Command } from 'commander';
import { parseDocument } from 'yaml';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PACKAGE_FOLDER } from '../../process/program.js';
import type { CliContext } from '../cli-context.js';
import { CliError, usageError } from '../cli-error.js';
import { addExamples } from '../help.js';
import { printResult } from '../output.js';

const FOLDER = join(PACKAGE_FOLDER, 'connectors');

/** The first section in the README of a built-in connector; a test checks it. */
const sectionOf = (use: string): string | undefined => {
  const file = join(FOLDER, use, 'README.md');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return /^```yaml\n(connectors:\n.*?)^```/ms.exec(text)?.[1];
};

const unknown = (use: string): never => {
  const names = readdirSync(FOLDER).filter((name) => sectionOf(name) !== undefined);
  return usageError(`No connector "${use}" is built in.`, `Connectors: ${names.join(', ')}`);
};

/** `rollgate connector init`, which needs no gateway. */
export const addConnectorInit = (connector: Command, context: CliContext): void => {
  const { cwd, env } = context;
  const command = connector
    .command('init')
    .summary('write the section of a built-in connector into the settings file')
    .description(
      'Write a section with example values into the settings file, or into a new one. Replace the ' +
        'values by your own; the README of the connector explains each.',
    )
    .argument('<tenant>', 'slug of the tenant that gets the users')
    .requiredOption('--use <connector>', 'the source, such as csv, ldap, sql, bamboohr or rest')
    .option('--name <name>', 'key of the section (default: that of the example)')
    .action((tenant: string, { use, name: wanted }: { use: string; name?: string }) => {
      const example = parseDocument(sectionOf(use) ?? unknown(use));
      const [named = use] = Object.keys((example.toJS() as { connectors: object }).connectors);
      const name = wanted ?? named;
      const section = example.getIn(['connectors', named]);
      example.setIn(['connectors', named, 'tenant'], tenant);
      const file = env.ROLLGATE_CONFIG ?? 'config/rollgate.yaml';
      const path = resolve(cwd, file);
      const settings = parseDocument(existsSync(path) ? readFileSync(path, 'utf8') : '');
      const [fault] = settings.errors;
      if (fault) throw new CliError('FAILED', `${file}: ${fault.message}`);
      if (settings.hasIn(['connectors', name]))
        throw new CliError('FAILED', `${file} has a connector "${name}". Choose another --name.`);
      // `connectors:` without a value.
      if (settings.get('connectors') === null) settings.delete('connectors');
      settings.setIn(['connectors', name], section);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, settings.toString({ lineWidth: 0 }));
      printResult(command, context, {
        people: () =>
          [
            `Wrote the connector ${name} to ${file}.`,
            '',
            'Next:',
            '  Replace the example values, and set the variables and files that it refers to.',
            `  rollgate connector try ${file} --name ${name}`,
            `  rollgate config check${env.ROLLGATE_CONFIG ? ` --config ${file}` : ''}`,
            '  Restart every gateway that reads the file, one after the other.',
            `  rollgate connector plan ${tenant} ${name}`,
            '',
          ].join('\n'),
        json: JSON.stringify({ file: path, name }, null, 2),
        quiet: () => name,
      });
    });
  addExamples(command, [
    ['rollgate connector init acme --use csv', 'a section for files'],
    ['rollgate connector init acme --use bamboohr --name hr', 'with the name "hr"'],
  ]);
};
