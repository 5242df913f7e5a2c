import { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { nearestName } from './did-you-mean.js';
import { variableOf } from './list-settings.js';
import { isPlainObject, keyOf, type SettingPath, valueAt } from './setting-path.js';

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
  return context.error.issues.flatMap((issue) => problemsOf(issue, [], [names], context));
};

/** `at`: the path of the value that the issue is about, `forms`: what is allowed there. */
const problemsOf = (
  issue: z.core.$ZodIssue,
  at: SettingPath,
  forms: readonly unknown[],
  context: IssueContext,
): readonly ConfigProblem[] => {
  const { given, under, placeOf } = context;
  const local = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const inside = [...at, ...local];
  const problemAt = (path: SettingPath, message: string): ConfigProblem => ({
    place: placeOf(path),
    key: keyOf(path),
    message,
  });
  const path = [...under, ...inside];
  const allowed = formsAt(forms, local);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problemAt([...path, key], unknownSettingMessage(key, allowed)));
  }
  if (inside.length > 0 && !isSet(given, inside))
    return [problemAt(path, at.length > 0 ? 'is required' : missing(path))];
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input')
    return [problemAt(path, rewordMessage(issue.message))];
  const meant = formMeant(issue.errors, allowed);
  return meant
    ? meant.issues.flatMap((one) => problemsOf(one, inside, [meant.form], context))
    : [problemAt(path, `expected ${allowed.map(describeForm).join(', or ')}`)];
};

interface Attempt {
  readonly issues: readonly z.core.$ZodIssue[];
  readonly form: unknown;
}

/** Which of several forms a value was meant to have; undefined if that is not clear. */
const formMeant = (
  errors: readonly (readonly z.core.$ZodIssue[])[],
  forms: readonly unknown[],
): Attempt | undefined => {
  const isOfForm = ({ issues }: Attempt): boolean =>
    issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');
  const [best, second] = errors
    .map((issues, at) => ({ issues, form: forms[at] }))
    .filter(isOfForm)
    .map((attempt) => ({ ...attempt, distance: distanceOf(attempt) }))
    .sort((one, other) => one.distance - other.distance);
  return best && best.distance !== second?.distance ? best : undefined;
};

/** A mistyped name is closer than one that the form does not have. */
const distanceOf = ({ issues, form }: Attempt): number =>
  issues.reduce((sum, issue) => {
    if (issue.code !== 'unrecognized_keys') return sum + 2;
    const known = formsAt([form], issue.path as SettingPath).flatMap(keysOf);
    const isMistyped = (key: string): boolean => nearestName(key, known) !== undefined;
    return issue.keys.reduce((more, key) => more + (isMistyped(key) ? 1 : 4), sum);
  }, 0);

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

/** The message for a key that none of these forms has, or not with the other keys. */
const unknownSettingMessage = (key: string, forms: readonly unknown[]): string => {
  const known = [...new Set(forms.flatMap(keysOf))];
  if (known.includes(key))
    return `is not allowed next to the others, or is wrong itself; expected ${forms.map(describeForm).join(', or ')}`;
  const nearest = nearestName(key, known);
  if (nearest !== undefined) return `unknown setting; did you mean "${nearest}"?`;
  const allowed = known.length === 0 ? '' : `; allowed: ${known.join(', ')}`;
  return `unknown setting${allowed}`;
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

/** The alternatives of a JSON Schema; null, which leaves a setting out, is none. */
const alternativesOf = (schema: unknown): readonly unknown[] => {
  if (!isPlainObject(schema) || schema.type === 'null') return [];
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? anyOf.flatMap(alternativesOf) : [schema];
};

/** What JSON Schemas allow at a path: the forms of a value. */
const formsAt = (forms: readonly unknown[], [step, ...rest]: SettingPath): readonly unknown[] => {
  const alternatives = forms.flatMap(alternativesOf);
  if (step === undefined) return alternatives;
  const inside = alternatives.map((form) => {
    if (!isPlainObject(form)) return undefined;
    if (typeof step === 'number') return form.items;
    return valueAt(form.properties, [step]) ?? form.additionalProperties;
  });
  return formsAt(inside, rest);
};

const keysOf = (form: unknown): readonly string[] => {
  const properties = valueAt(form, ['properties']);
  return isPlainObject(properties) ? Object.keys(properties) : [];
};

const FORMS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a section',
};

const describeForm = (form: unknown): string => {
  const [type, names, required] = ['type', 'enum', 'required'].map((key) => valueAt(form, [key]));
  if (Array.isArray(names)) return names.join(', ');
  if (Array.isArray(required) && required.length > 0) return `{${required.join(', ')}: …}`;
  return (typeof type === 'string' ? FORMS[type] : undefined) ?? 'another value';
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
  const [, options] = /^Invalid option: expected one of (.+)$/.exec(message) ?? [];
  if (options !== undefined) return `expected ${options.replaceAll('"', '').replaceAll('|', ', ')}`;
  const detail = message.replace(/^Invalid input: /, '');
  if (detail === message) return message;
  if (/^expected (object|record)/.test(detail)) return 'expected a section with indented settings';
  if (/^expected boolean/.test(detail)) return 'expected true or false';
  if (/^expected array/.test(detail))
    return 'expected a list: [one, two], or a line with "- " for each';
  if (/^expected number/.test(detail)) return 'expected a number';
  return detail.replace(
    /^expected string, .*/,
    'expected text; put values that look like numbers in quotes',
  );
};
