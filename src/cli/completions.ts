import type { Command, Option } from 'commander';
import { PRESET_NAMES } from './scope-presets.js';
import { SCOPES } from '../domain/scopes.js';

/** What may stand in place of the last word, which is begun or empty. */
export const completionsOf = (program: Command, words: readonly string[]): readonly string[] => {
  const begun = words.at(-1) ?? '';
  const { command, option } = follow(program, words.slice(0, -1));
  const candidates = option
    ? valuesOf(option)
    : begun.startsWith('-')
      ? flagsOf(command)
      : namesIn(command);
  return candidates.filter((word) => word.startsWith(begun));
};

interface Place {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option?: Option | undefined;
}

const follow = (program: Command, words: readonly string[]): Place =>
  words.reduce<Place>(
    ({ command, option }, word) => {
      if (option) return { command };
      if (word.startsWith('-')) return { command, option: optionNamed(command, word) };
      return { command: command.commands.find((child) => child.name() === word) ?? command };
    },
    { command: program },
  );

const lineage = (command: Command): readonly Command[] =>
  command.parent ? [command, ...lineage(command.parent)] : [command];

const optionsOf = (command: Command): readonly Option[] =>
  lineage(command).flatMap(({ options }) => options);

/** Only one that waits for a value. */
const optionNamed = (command: Command, flag: string): Option | undefined =>
  optionsOf(command).find(
    (option) => [option.short, option.long].includes(flag) && (option.required || option.optional),
  );

const valuesOf = ({ long, argChoices }: Option): readonly string[] =>
  argChoices ?? (long === '--preset' ? PRESET_NAMES : long === '--scope' ? SCOPES : []);

const flagsOf = (command: Command): readonly string[] => [
  ...optionsOf(command).flatMap(({ long }) => long ?? []),
  '--help',
];

const namesIn = (command: Command): readonly string[] => {
  const children = command.createHelp().visibleCommands(command);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [...children.map((child) => child.name()), ...choices];
};
