import type { Argument, Command, Option } from 'commander';
import { z } from 'zod';
import { isSlug } from '../domain/tenant/tenant.js';
import type { CliResource } from '../start/load-extensions.js';
import type { CliContext } from './cli-context.js';
import type { Locatable } from './locate.js';
import { openSessionWith, type Session } from './session.js';

/** The command line up to the word that is completed. */
interface Typed {
  /** The values of the positional arguments before it. */
  readonly operands: readonly string[];
  /** The beginning of the word; may be empty. */
  readonly start: string;
  /** The values of options: `{ url: 'https://…' }`. */
  readonly options: Readonly<Record<string, string>>;
}

/** Finds candidates that only the gateway has. */
export type Complete = (typed: Typed) => Promise<readonly string[]>;

const completers = new WeakMap<Argument | Option, Complete>();
const defaultCommands = new WeakMap<Command, Command>();

/** Completes the values of an argument or option. */
export const completeBy = (target: Argument | Option | undefined, complete: Complete): void => {
  if (target) completers.set(target, complete);
};

/** Determines which command is meant without the name of a subcommand. */
export const setDefaultCommand = (parent: Command, command: Command): void =>
  void defaultCommands.set(parent, command);

/** The words with the name of the subcommand that is meant without it. */
export const withDefaultCommand = (
  program: Command,
  words: readonly string[],
): readonly string[] => {
  const at = words.findIndex((word, index) => {
    const { command, option } = positionAfter(program, words.slice(0, index));
    return (
      !option && !word.startsWith('-') && defaultCommands.has(command) && !childOf(command, word)
    );
  });
  const { command } = positionAfter(program, words.slice(0, Math.max(at, 0)));
  const implied = defaultCommands.get(command);
  if (at < 0 || !implied) return words;
  // After the name of the group: options between are those of the subcommand.
  const group = words.findIndex((word) => childOf(program, word) === command);
  return words.toSpliced(group + 1, 0, implied.name());
};

const childOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((each) => each.name() === word || each.aliases().includes(word));

/** Candidates for the last word, which may be empty. */
export const completionsOf = async (
  program: Command,
  words: readonly string[],
): Promise<readonly string[]> => {
  const start = words.at(-1) ?? '';
  const { command, option, operands, options } = positionAfter(program, words.slice(0, -1));
  const receiver = defaultCommands.get(command) ?? command;
  const argument = option ?? receiver.registeredArguments[operands.length];
  const complete = start.startsWith('-') ? undefined : argument && completers.get(argument);
  const found = complete ? await complete({ operands, start, options }).catch(() => []) : [];
  const known = option
    ? (option.argChoices ?? [])
    : start.startsWith('-')
      ? flagsOf(command)
      : namesIn(command);
  return [
    ...known.filter((word) => word.startsWith(start)),
    ...found.filter((word) => word.toLowerCase().startsWith(start.toLowerCase())),
  ];
};

interface Position {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option?: Option | undefined;
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  /** A word is not a subcommand where one is needed. */
  readonly isUnknown: boolean;
}

/** Where the command line is after these words. */
export const positionAfter = (program: Command, words: readonly string[]): Position =>
  words.reduce<Position>(
    (position, word) => {
      const { command, option, isUnknown, operands, options } = position;
      const same = { command, isUnknown, operands, options };
      if (option) return { ...same, options: { ...options, [option.attributeName()]: word } };
      if (word.startsWith('-')) return { ...same, option: valueOption(command, word) };
      const child = childOf(command, word);
      if (child) return { ...same, command: child };
      const implied = defaultCommands.get(command);
      if (implied) return { ...same, command: implied, operands: [word] };
      if (command.commands.length > 0) return { ...same, isUnknown: true };
      return { ...same, operands: [...operands, word] };
    },
    { command: program, isUnknown: false, operands: [], options: {} },
  );

const lineage = (command: Command): readonly Command[] =>
  command.parent ? [command, ...lineage(command.parent)] : [command];

const optionsOf = (command: Command): readonly Option[] =>
  lineage(command).flatMap(({ options }) => options);

/** The option with this flag, if it takes a value. */
const valueOption = (command: Command, flag: string): Option | undefined =>
  optionsOf(command).find(
    (option) => [option.short, option.long].includes(flag) && (option.required || option.optional),
  );

const flagsOf = (command: Command): readonly string[] => [
  ...optionsOf(command).flatMap(({ long }) => long ?? []),
  '--help',
];

const namesIn = (command: Command): readonly string[] => {
  const children = command.createHelp().visibleCommands(command);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [...children.map((child) => child.name()), ...choices];
};

/** A completion that takes longer annoys more than it helps. */
const TIME_LIMIT_MS = 800;
const MAX_ITEMS = 500;

type Listed = Pick<Locatable, 'path' | 'items' | 'view' | 'label' | 'searchQuery' | 'isWhole'> &
  Pick<CliResource, 'perTenant' | 'readAccess'>;

const sessionFor = (
  context: CliContext,
  { operands, options }: Typed,
  { readAccess: access, perTenant = true }: Pick<CliResource, 'perTenant' | 'readAccess'>,
): Session | undefined => {
  const [tenant = ''] = operands;
  if (perTenant && !isSlug(tenant)) return undefined;
  return openSessionWith(
    // Nothing may disturb the line that the user types.
    { ...context, stderr: { ...context.stderr, write: () => undefined } },
    { ...options, output: 'table', json: false, quiet: true },
    { access, ...(perTenant && { tenant }) },
    { timeoutMs: TIME_LIMIT_MS },
  );
};

const labelsIn = async (
  session: Session,
  path: string,
  start: string,
  { items, view, label, searchQuery, isWhole }: Listed,
): Promise<readonly string[]> => {
  const query = isWhole ? {} : { limit: MAX_ITEMS, ...searchQuery?.(start) };
  const page = session.read(
    z.looseObject({ [items]: z.array(view) }),
    await session.client.request('GET', path, { query }),
  );
  return (page[items] as readonly unknown[]).map(label);
};

const TenantPage = z.object({ tenants: z.array(z.object({ slug: z.string() })) });

/** The slugs of all tenants. */
export const completeTenants =
  (context: CliContext): Complete =>
  async (typed) => {
    const session = sessionFor(context, typed, { perTenant: false });
    if (!session) return [];
    const query = { limit: MAX_ITEMS };
    const response = await session.client.request('GET', '/tenants', { query });
    return session.read(TenantPage, response).tenants.map(({ slug }) => slug);
  };

/** The names of a resource's items; `nesting` finds the path of the parent's item. */
export const completeItems =
  (
    context: CliContext,
    resource: Listed,
    nesting: (session: Session, operands: readonly string[]) => Promise<string> = () =>
      Promise.resolve(''),
  ): Complete =>
  async (typed) => {
    const session = sessionFor(context, typed, resource);
    if (!session) return [];
    const path = `${await nesting(session, typed.operands)}${resource.path}`;
    return labelsIn(session, path, typed.start, resource);
  };
