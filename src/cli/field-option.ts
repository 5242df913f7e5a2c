import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliOption } from '../start/load-extensions.js';
import { completeBy, type Complete } from './completions.js';
import {
  EVENT_PATTERNS,
  parseChoice,
  parseEvents,
  parsePastTime,
  parseWholeNumber,
} from './parse-argument.js';

/** An option that sets a field of a request: of the body, or of the query of a list. */
export interface FieldOption extends Omit<CliOption, 'parse'> {
  /** As of plugins; times may depend on the current one. */
  readonly parse?: (text: string, now: Date) => unknown;
  /** What a new item has without the option; shown by `create` only. */
  readonly byDefault?: string;
  /** Finds candidates that only the gateway has. */
  readonly complete?: Complete;
}

/** Wraps the value, because commander treats null as "not given". */
class Given {
  constructor(readonly value: unknown) {}
}

export const addFieldOptions = (
  command: Command,
  options: readonly FieldOption[],
  now: () => Date,
): void => {
  for (const given of options) {
    const { flags, type, byDefault, isRequired = false, complete } = given;
    const help = byDefault === undefined ? given.help : `${given.help} (default: ${byDefault})`;
    const choices = type === 'events' ? EVENT_PATTERNS : given.choices;
    const option = new Option(flags, help).makeOptionMandatory(isRequired);
    if (choices) option.choices(choices);
    if (!option.isBoolean())
      option.argParser((text, previous: unknown) => {
        const value = valueOf(given, text, now());
        return new Given(previous instanceof Given ? merge(previous.value, value) : value);
      });
    if (complete) completeBy(option, complete);
    command.addOption(option);
  }
};

const valueOf = (option: FieldOption, text: string, now: Date): unknown => {
  const { type, nullable, parse, choices } = option;
  if (nullable && text === 'none') return null;
  if (type === 'past-time') return parsePastTime(text, now);
  if (type === 'events') return parseEvents(text);
  if (type) return parseWholeNumber(type.min, type.max)(text);
  if (!parse) return choices ? parseChoice(choices)(text) : text;
  try {
    return parse(text, now);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const merge = (before: unknown, value: unknown): unknown => {
  if (isArray(before) && isArray(value)) return [...before, ...value];
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
};

/** The property that an option sets. */
export const fieldOf = ({ flags, field }: FieldOption): string =>
  field ?? new Option(flags).name().replaceAll('-', '_');

/** The fields that were given, as the API's JSON. */
export const givenFields = (
  command: Command,
  options: readonly FieldOption[],
): Record<string, unknown> => {
  const fields: Record<string, unknown> = {};
  for (const option of options) {
    const given: unknown = command.getOptionValue(new Option(option.flags).attributeName());
    if (given === undefined) continue;
    const value = given instanceof Given ? given.value : given;
    const [name = '', nested] = fieldOf(option).split('.');
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
