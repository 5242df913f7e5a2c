import { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { nearestName } from './did-you-mean.js';
import { variableOf } from './list-settings.js';
import { isPlainObject, keyOf, type SettingPath } from './setting-path.js';

interface IssueContext {
  /** The schema that rejected the settings; its keys are the allowed names. */
  readonly schema: z.ZodType;
  readonly error: z.ZodError;
  /** The checked settings. */
  readonly given: unknown;
  /** The path of the checked settings in the whole configuration. */
  readonly under: SettingPath;
  readonly placeOf: (path: SettingPath) => string;
}

/** Turns schema issues into problems for operators: place, key, expected value. */
export const explainIssues = (context: IssueContext): readonly ConfigProblem[] => {
  const names = z.toJSONSchema(context.schema, { io: 'input', unrepresentable: 'any' });
  return context.error.issues.flatMap((issue) => problemsOf(issue, names, context));
};

const problemsOf = (
  issue: z.core.$ZodIssue,
  names: unknown,
  { given, under, placeOf }: IssueContext,
): readonly ConfigProblem[] => {
  const local = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const problemAt = (path: SettingPath, message: string): ConfigProblem => ({
    place: placeOf(path),
    key: keyOf(path),
    message,
  });
  const path = [...under, ...local];
  if (issue.code !== 'unrecognized_keys') {
    const isMissing = local.length > 0 && !isSet(given, local);
    return [problemAt(path, isMissing ? missing(path) : rewordMessage(issue.message))];
  }
  const known = keysAt(names, local);
  return issue.keys.map((key) => problemAt([...path, key], unknownSettingMessage(key, known)));
};

/** Lists included, unlike valueAt. */
const isSet = (given: unknown, path: SettingPath): boolean =>
  path.reduce<unknown>(
    (value, step) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[step],
    given,
  ) !== undefined;

/** Only extensions have settings without a default. */
const missing = (path: SettingPath): string => {
  if (path.some((step) => typeof step === 'number')) return 'is required';
  const named = path[0] === 'plugins' ? path.slice(1) : path;
  return `is required; set it here, or by ${variableOf(named.map(String))}`;
};

/** The message for an unknown key. */
const unknownSettingMessage = (key: string, known: readonly string[]): string => {
  const nearest = nearestName(key, known);
  if (nearest !== undefined) return `unknown setting; did you mean "${nearest}"?`;
  return `unknown setting; allowed: ${known.join(', ')}`;
};

/** The message for a section without `use` that matches no built-in plugin. */
export const unknownPlugin = (name: string, builtIns: readonly string[]): string => {
  const nearest = nearestName(name, builtIns);
  const own = 'to load your own plugin, set "use" to its file or package';
  if (nearest !== undefined)
    return `no built-in plugin has this name; did you mean "${nearest}"? Otherwise, ${own}`;
  return `no built-in plugin has this name (built in: ${builtIns.join(', ')}); ${own}`;
};

/** The message for a section of a connector without `use`. */
export const unknownConnector = (name: string, builtIns: readonly string[]): string => {
  const nearest = nearestName(name, builtIns);
  const names = builtIns.length === 0 ? '' : ` (${builtIns.join(', ')})`;
  const all = `set "use" to a built-in connector${names}, a package, or the path of a file`;
  return nearest === undefined ? all : `${all}; did you mean "${nearest}"?`;
};

/** The keys of a section of a JSON Schema. */
const keysAt = (schema: unknown, path: SettingPath): readonly string[] => {
  const properties = isPlainObject(schema) ? schema.properties : undefined;
  if (!isPlainObject(properties)) return [];
  const [step, ...rest] = path;
  return step === undefined ? Object.keys(properties) : keysAt(properties[step], rest);
};

const BOUNDS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

/** Replaces zod's default messages; messages of the schema stay. */
const rewordMessage = (message: string): string => {
  const [, sign, bound = '', unit = ''] =
    /^Too (?:small|big): expected \w+ to (?:be|have) ([<>]=?)([\d.]+)( \w+)?$/.exec(message) ?? [];
  if (sign !== undefined)
    return `expected ${BOUNDS[sign]} ${bound}${bound === '1' ? unit.replace(/s$/, '') : unit}`;
  const detail = message.replace(/^Invalid input: /, '');
  if (detail === message) return message;
  if (/^expected (object|record)/.test(detail)) return 'expected a section with indented settings';
  if (/^expected boolean/.test(detail)) return 'expected true or false';
  return detail.replace(
    /^expected string, .*/,
    'expected text; put values that look like numbers in quotes',
  );
};
