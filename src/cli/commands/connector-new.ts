import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { PACKAGE_FOLDER } from '../../process/program.js';
import type { CliContext } from '../cli-context.js';
import { CliError, EXIT } from '../cli-error.js';
import { addExamples } from '../help.js';
import { styleOf } from '../session.js';

const TEMPLATE = join(PACKAGE_FOLDER, 'templates/connector');
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `acme-hr`: `Acme hr` */
const titleOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;

/** The files of a new connector, by name. */
const filesOf = (name: string): ReadonlyMap<string, string> => {
  const fill = (text: string): string =>
    text.replaceAll('__NAME__', name).replaceAll('__TITLE__', titleOf(name));
  return new Map(
    readdirSync(TEMPLATE).map((file) => [
      fill(file),
      fill(readFileSync(join(TEMPLATE, file), 'utf8')),
    ]),
  );
};

const writeFiles = (folder: string, name: string): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  return [...filesOf(name)].map(([file, text]) => {
    writeFileSync(join(folder, file), text, { flag: 'wx' });
    return file;
  });
};

/** `rollgate connector new`, a command that needs no gateway. */
export const addConnectorNew = (program: Command, { cwd, stdout }: CliContext): void => {
  const connector =
    program.commands.find((command) => command.name() === 'connector') ??
    program.command('connector').summary('write a connector').helpCommand(false);
  const create = connector
    .command('new')
    .summary('write the files of a new connector')
    .description(
      'Write a connector that works, a test with a source of its own, and a README into a new folder. ' +
        'Replace the requests by those of your source. docs/writing-a-connector.md explains each part.',
    )
    .argument('<name>', 'lower-case words joined by hyphens')
    .argument('[folder]', 'the new folder (default: the name)')
    .action((name: string, folder: string = name) => {
      if (!NAME.test(name))
        throw new CliError(EXIT.usage, `"${name}" is not a name of a connector.`, [
          'Use lower-case words joined by hyphens, such as acme-hr.',
        ]);
      const path = resolve(cwd, folder);
      if (existsSync(path))
        throw new CliError(EXIT.refused, `${path} exists. Choose another name or folder.`);
      const files = writeFiles(path, name);
      const style = styleOf(create);
      if (style === 'json') stdout.write(`${JSON.stringify({ folder: path, files }, null, 2)}\n`);
      else if (style === 'quiet') stdout.write(`${path}\n`);
      else stdout.write(report(folder, name, files));
    });
  addExamples(create, [
    ['rollgate connector new acme-hr', 'a connector in the folder acme-hr'],
    ['rollgate connector new acme-hr sources/hr', 'in another folder'],
  ]);
};

const report = (folder: string, name: string, files: readonly string[]): string =>
  [
    `Wrote ${files.join(', ')} to ${folder}.`,
    '',
    'Next:',
    `  node --test ${join(folder, `${name}.test.mjs`)}`,
    `  Replace the requests in ${join(folder, `${name}.mjs`)} by those of your source.`,
    '',
  ].join('\n');
