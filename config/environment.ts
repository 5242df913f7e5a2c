import type { ConfigProblem } from './config-error.js';
import { nearestName } from './did-you-mean.js';
import type { Setting, ValueType } from './list-settings.js';
import { isFromKubernetes, OTHER_VARIABLES } from './other-variables.js';
import { isPlainObject, type SettingPath } from './setting-path.js';

/** A setting from an environment variable; it overrides the file. */
export interface EnvironmentSetting {
  /** The variable. */
  readonly name: string;
  readonly path: SettingPath;
  readonly value: unknown;
}

/** Text that is not a number is returned unchanged, for the schema to reject. */
const asNumber = (text: string): unknown =>
  /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;

const asBoolean = (text: string): unknown => {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : text;
};

const asList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Parses the text of a variable into the value that the file would contain. */
const PARSERS: Readonly<Record<ValueType, (text: string) => unknown>> = {
  text: (text) => text,
  number: asNumber,
  boolean: asBoolean,
  list: asList,
  numbers: (text) => asList(text).map(asNumber),
  json: asJson,
};

const isList = (form: ValueType): boolean => form === 'list' || form === 'numbers';

const FILE = '_FILE';

/** The variables that name a file containing the secret. */
const fileVariablesOf = ({ isSecret, variable, aliases }: Setting): readonly string[] =>
  isSecret ? [variable, ...aliases].map((name) => name + FILE) : [];

const readVariable = (env: NodeJS.ProcessEnv, name: string): string | undefined => {
  const text = env[name];
  return text === undefined || isFromKubernetes(name, text) ? undefined : text;
};

/**
 * The settings that the environment sets. An empty variable counts as not set, except for lists;
 * `null` sets a nullable setting to null.
 */
export const environmentSettings = (
  env: NodeJS.ProcessEnv,
  settings: readonly Setting[],
): readonly EnvironmentSetting[] => settings.flatMap((setting) => readVariables(env, setting));

const readVariables = (env: NodeJS.ProcessEnv, setting: Setting): readonly EnvironmentSetting[] => {
  const { path, valueType, isSecret, isNullable, variable, aliases } = setting;
  const values = [variable, ...aliases].flatMap((name) => {
    const text = readVariable(env, name);
    if (text === undefined || (text === '' && !isList(valueType))) return [];
    const isNull = isNullable && !isSecret && text.trim() === 'null';
    return [{ name, path, value: isNull ? null : PARSERS[valueType](text) }];
  });
  const files = fileVariablesOf(setting).flatMap((name) => {
    const file = readVariable(env, name);
    return file ? [{ name, path, value: { file } }] : [];
  });
  return [...values, ...files];
};

/** Reports variables that set the same setting: it is undecidable which one is meant. */
export const findConflicts = (found: readonly EnvironmentSetting[]): readonly ConfigProblem[] => {
  const first = new Map<string, string>();
  return found.flatMap(({ name, path }) => {
    const key = path.join('.');
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, name);
      return [];
    }
    return [
      {
        place: `environment variable ${name}`,
        key,
        message: `${other} sets the same setting; unset one of them`,
      },
    ];
  });
};

/** Reports `ROLLGATE_…` variables that match no setting; ignoring them would hide mistakes. */
export const findUnknownVariables = (
  env: NodeJS.ProcessEnv,
  settings: readonly Setting[],
  /** The merged settings; their secrets may refer to any variable. */
  merged: unknown,
  /** Begin the variables of sections whose settings are not known. */
  prefixes: readonly string[] = [],
): readonly ConfigProblem[] => {
  const names = settings.flatMap((setting) => [
    setting.variable,
    ...setting.aliases,
    ...fileVariablesOf(setting),
  ]);
  const known = new Set([
    ...names,
    ...OTHER_VARIABLES.map(({ name }) => name),
    ...referencedVariables(merged),
  ]);
  return Object.entries(env)
    .filter(
      ([name, value = '']) =>
        hasPrefix(name) &&
        !known.has(name) &&
        !prefixes.some((prefix) => name.startsWith(prefix)) &&
        !isFromKubernetes(name, value),
    )
    .map(([name]) => ({
      place: `environment variable ${name}`,
      key: '',
      message: unknownVariable(name, [...known]),
    }));
};

const PREFIX = /^ROLLGATE_/;

const hasPrefix = (name: string): boolean => PREFIX.test(name);

/** The names in `{env: NAME}`. */
const referencedVariables = (value: unknown): readonly string[] => {
  if (!isPlainObject(value)) return [];
  const { env } = value;
  if (typeof env === 'string' && Object.keys(value).length === 1) return [env];
  return Object.values(value).flatMap(referencedVariables);
};

/** Compares names without their common prefix. */
const unknownVariable = (name: string, known: readonly string[]): string => {
  const nearest = nearestName(
    name.replace(PREFIX, ''),
    known.filter(hasPrefix).map((one) => one.replace(PREFIX, '')),
  );
  return nearest === undefined
    ? 'matches no setting; unset it, or list all variables with "rollgate config show"'
    : `matches no setting; did you mean ROLLGATE_${nearest}?`;
};
