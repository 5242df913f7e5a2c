import type { Command } from 'commander';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PACKAGE_FOLDER } from '../../process/program.js';
import type { CliContext } from '../cli-context.js';
import { CliError } from '../cli-error.js';
import { addExamples } from '../help.js';
import { printResult } from '../output.js';

/** What can be written, and how the command describes it. */
const KINDS = {
  connector: {
    template: 'connectors/template',
    example: 'acme-hr',
    otherFolder: 'sources/hr',
    description:
      'Write a connector that works, a test with a source of its own, and a README into a new folder. ' +
      'Replace the requests by those of your source. docs/writing-a-connector.md explains each part.',
    next: (file: string) => `Replace the requests in ${file} by those of your source.`,
  },
  plugin: {
    template: 'examples/template',
    example: 'acme-alerts',
    otherFolder: 'extensions/alerts',
    description:
      'Write a plugin that works (a subscriber of events and a route), its test and a README into a ' +
      'new folder. docs/writing-a-plugin.md explains each part.',
    next: (file: string) => `Replace the request and the route in ${file} by your own.`,
  },
} as const;

type Kind = keyof typeof KINDS;

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** The files of a new extension, by name. */
const filesOf = (kind: Kind, name: string): ReadonlyMap<string, string> => {
  const folder = join(PACKAGE_FOLDER, KINDS[kind].template);
  const fill = (text: string): string =>
    text
      .replaceAll('__NAME__', name)
      // `acme-hr`: `Acme hr`
      .replaceAll('__TITLE__', capitalised(name).replaceAll('-', ' '))
      .replaceAll('__PASCAL__', name.split('-').map(capitalised).join(''));
  return new Map(
    readdirSync(folder).map((file) => [fill(file), fill(readFileSync(join(folder, file), 'utf8'))]),
  );
};

const writeFiles = (folder: string, kind: Kind, name: string): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  return [...filesOf(kind, name)].map(([file, text]) => {
    writeFileSync(join(folder, file), text, { flag: 'wx' });
    return file;
  });
};

/** `rollgate plugin new` and `rollgate connector new`, which need no gateway. */
export const addNew = (group: Command, kind: Kind, context: CliContext): void => {
  const { cwd } = context;
  const { description, example, otherFolder } = KINDS[kind];
  const create = group
    .command('new')
    .summary(`write the files of a new ${kind}`)
    .description(description)
    .argument('<name>', 'lower-case words joined by hyphens')
    .argument('[folder]', 'the new folder (default: the name)')
    .action((name: string, folder: string = name) => {
      if (!NAME.test(name))
        throw new CliError('USAGE', `"${name}" is not a name of a ${kind}.`, [
          `Use lower-case words joined by hyphens, such as ${example}.`,
        ]);
      const path = resolve(cwd, folder);
      if (existsSync(path))
        throw new CliError('FAILED', `${path} exists. Choose another name or folder.`);
      const files = writeFiles(path, kind, name);
      printResult(create, context, {
        people: () => report(kind, folder, name, files),
        json: JSON.stringify({ folder: path, files }, null, 2),
        quiet: () => path,
      });
    });
  addExamples(create, [
    [`rollgate ${kind} new ${example}`, `a ${kind} in the folder ${example}`],
    [`rollgate ${kind} new ${example} ${otherFolder}`, 'in another folder'],
  ]);
};

const report = (kind: Kind, folder: string, name: string, files: readonly string[]): string =>
  [
    `Wrote ${files.join(', ')} to ${folder}.`,
    '',
    'Next:',
    `  node --test ${join(folder, `${name}.test.mjs`)}`,
    `  ${KINDS[kind].next(join(folder, `${name}.mjs`))}`,
    '',
  ].join('\n');

/** `rollgate connector new`. */
export const addConnectorNew = (connector: Command, context: CliContext): void =>
  addNew(connector, 'connector', context);
