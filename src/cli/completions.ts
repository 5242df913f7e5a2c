import type { Command, Option } from 'commander';

/** Candidates for the last word, which may be empty. */
export const completionsOf = (program: Command, words: readonly string[]): readonly string[] => {
  const start = words.at(-1) ?? '';
  const { command, option } = positionAfter(program, words.slice(0, -1));
  const candidates = option
    ? (option.argChoices ?? [])
    : start.startsWith('-')
      ? flagsOf(command)
      : namesIn(command);
  return candidates.filter((word) => word.startsWith(start));
};

interface Position {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option?: Option | undefined;
  /** A word is not a subcommand where one is needed. */
  readonly isUnknown: boolean;
}

/** Where the command line is after these words. */
export const positionAfter = (program: Command, words: readonly string[]): Position =>
  words.reduce<Position>(
    ({ command, option, isUnknown }, word) => {
      if (option) return { command, isUnknown };
      if (word.startsWith('-')) return { command, isUnknown, option: valueOption(command, word) };
      const child = command.commands.find(
        (each) => each.name() === word || each.aliases().includes(word),
      );
      if (child) return { command: child, isUnknown };
      return { command, isUnknown: isUnknown || command.commands.length > 0 };
    },
    { command: program, isUnknown: false },
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
