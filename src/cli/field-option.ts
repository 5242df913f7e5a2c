import { type Command, Option } from 'commander';
import type { CliOption } from '../start/load-extensions.js';
import { parseChoice } from './parse-argument.js';

/**
 * An option that sets a field of a request: of the body, or of the query of a list. Completion offers
 * its `choices`; without `parse`, nothing else is allowed.
 */
export interface FieldOption extends Omit<CliOption, 'type' | 'nullable' | 'parse'> {
  /**
   * Converts the argument to the field's value, or throws an InvalidArgumentError. If the option
   * is repeated, arrays are concatenated and objects merged. Absent: the text as given.
   */
  readonly parse?: (text: string, now: Date) => unknown;
}

/** Wraps the value, because commander treats null as "not given". */
class Given {
  constructor(readonly value: unknown) {}
}

export const addFieldOptions = (
  command: Command,
  options: readonly FieldOption[],
  now: () => Date,
): Command => {
  for (const { flags, help, choices, parse, isRequired } of options) {
    const option = new Option(flags, help).makeOptionMandatory(isRequired ?? false);
    if (choices) option.choices(choices);
    const read = parse ?? (choices ? parseChoice(choices) : String);
    if (!option.isBoolean())
      option.argParser((text, previous: unknown) => {
        const value = read(text, now());
        return new Given(previous instanceof Given ? merge(previous.value, value) : value);
      });
    command.addOption(option);
  }
  return command;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const merge = (before: unknown, value: unknown): unknown => {
  if (isArray(before) && isArray(value)) return [...before, ...value];
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
};

/** The fields that were given, as the API's JSON. */
export const givenFields = (
  command: Command,
  options: readonly FieldOption[],
): Record<string, unknown> => {
  const fields: Record<string, unknown> = {};
  for (const { flags, field } of options) {
    const given: unknown = command.getOptionValue(new Option(flags).attributeName());
    if (given === undefined) continue;
    const value = given instanceof Given ? given.value : given;
    const [name = '', nested] = field.split('.');
    fields[name] = merge(fields[name], nested === undefined ? value : { [nested]: value });
  }
  return fields;
};

const YES_NO = ['yes', 'no'] as const;

/** `--flag <yes|no>` for a boolean field. */
export const yesNoOption = (name: string, field: string, help: string): FieldOption => ({
  flags: `${name} <yes|no>`,
  field,
  help,
  choices: YES_NO,
  parse: (text) => parseChoice(YES_NO)(text) === 'yes',
});

/** Accepts `none` for null. */
export const orNone =
  (parse: (text: string) => unknown = (text) => text) =>
  (text: string): unknown =>
    text === 'none' ? null : parse(text);
