import type { Argument, Command, Option } from 'commander';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import type { CliContext } from '../../src/cli/cli-context.js';
import { createProgram } from '../../src/cli/program.js';
import { code, table } from './markdown.js';

const SILENT = { write: () => undefined, hasColours: false, width: 100 };

/** Commands are described, none is run. */
const CONTEXT: CliContext = {
  ...{ env: {}, cwd: '/', now: () => new Date(), elapsed: () => 0 },
  ...{ plugins: BUILT_IN_PLUGINS, stdout: SILENT, stderr: SILENT, ask: undefined },
  readLine: () => Promise.resolve(''),
  interruption: () => new AbortController().signal,
};

/** A part of the help below arguments and options: terms and what they mean. */
interface Section {
  readonly title: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

/** Every command is an EventEmitter, which its types leave out. */
interface Emitting {
  readonly emit: (event: string, context: object) => boolean;
}

/** What `addHelpSection` has added; commander has no other way to read it. */
const sectionsOf = (command: Command): readonly Section[] => {
  let text = '';
  const write = (part: string): void => void (text += part);
  (command as Command & Emitting).emit('afterHelp', { error: false, command, write });
  return [...text.matchAll(/^(\S[^\n]*):\n((?: {2}[^\n]*\n)+)/gm)].map(
    ([, title = '', body = '']) => ({
      title,
      rows: body
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [, term = '', meaning = ''] = /^ {2}(.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
          return [term, meaning] as const;
        }),
    }),
  );
};

/** Of every command, see the top of the page. */
const isShared = ({ title }: Section): boolean => title.startsWith('Options of every command');

const childrenOf = ({ commands }: Command): readonly Command[] =>
  commands.filter((each) => each.name() !== 'help' && each.name() !== 'complete');

const leavesOf = (command: Command): readonly Command[] => {
  const children = childrenOf(command);
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
};

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}`.trim() : '';

const termOf = (argument: Argument): string => {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

const meaningOf = ({ description, mandatory }: Option): string =>
  mandatory ? `${description} (required)` : description;

const partsOf = (command: Command): string => {
  const rows = [
    ...command.registeredArguments.map((one) => [termOf(one), one.description] as const),
    ...command.options.map((option) => [option.flags, meaningOf(option)] as const),
  ];
  return rows.length === 0 ? '' : tableOf('', rows);
};

const tableOf = (title: string, rows: Section['rows']): string =>
  table(
    [title, ''],
    rows.map(([term, meaning]) => [term && code(term).replaceAll('|', '\\|'), cell(meaning)]),
  );

const describeSection = ({ title, rows }: Section): string => {
  if (title === 'Credentials') {
    const [, scope] = /scope (\S+)$/.exec(rows.at(-1)?.[1] ?? '') ?? [];
    if (scope === undefined) return '';
    return `With an API key that has the scope ${code(scope)}${rows.length > 1 ? ', or the admin token' : ''}.`;
  }
  if (title !== 'Examples') return tableOf(title, rows);
  const lines = rows.map(([term, meaning]) => (meaning ? `${term} # ${meaning}` : term));
  return ['```sh', ...lines, '```'].join('\n');
};

const describeCommand = (command: Command): string =>
  [
    `### ${nameOf(command)}`,
    cell(command.description()),
    partsOf(command),
    ...sectionsOf(command)
      .filter((section) => !isShared(section))
      .map(describeSection),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

const linkTo = (name: string): string => `[${code(name)}](#${name.replaceAll(' ', '-')})`;

/** All commands in a list, then each with its arguments, options and examples. */
export const describeCommands = (): string => {
  const program = createProgram(CONTEXT);
  const leaves = leavesOf(program);
  const list = leaves.map((command): readonly [string, string] => [
    linkTo(nameOf(command)),
    cell(command.summary()),
  ]);
  const shared = program.options.map((option) => [option.flags, meaningOf(option)] as const);
  return [
    table(['command', ''], list),
    '## Options of every command',
    tableOf('', shared),
    '## Each command',
    ...leaves.map(describeCommand),
  ].join('\n\n');
};
