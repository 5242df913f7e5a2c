import type { ConfigProblem } from './config-error.js';
import { nearestName } from './did-you-mean.js';
import type { Setting, SettingForm } from './list-settings.js';
import { isFromKubernetes, OTHER_VARIABLES } from './other-variables.js';
import { isPlainObject, type SettingPath } from './setting-path.js';

/** A setting that the environment makes, in place of what the file says. */
export interface EnvironmentSetting {
  /** The variable. */
  readonly name: string;
  readonly path: SettingPath;
  readonly value: unknown;
}

/** What is no number stays text, so that the schema's own words refuse it. */
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

/** How the text of a variable becomes the value that would stand in the file. */
const READERS: Readonly<Record<SettingForm, (text: string) => unknown>> = {
  text: (text) => text,
  number: asNumber,
  boolean: asBoolean,
  list: asList,
  numbers: (text) => asList(text).map(asNumber),
  json: asJson,
};

const isList = (form: SettingForm): boolean => form === 'list' || form === 'numbers';

const FILE = '_FILE';

/** The variables by which a secret is read from a file. */
const fileVariablesOf = ({ path, isSecret, variable, aliases }: Setting): readonly string[] =>
  isSecret && path[0] !== 'plugins' ? [variable, ...aliases].map((name) => name + FILE) : [];

const given = (env: NodeJS.ProcessEnv, name: string): string | undefined => {
  const text = env[name];
  return text === undefined || isFromKubernetes(name, text) ? undefined : text;
};

/**
 * What the environment says of these settings. An empty variable says nothing, except that a list
 * is empty; `null` says that a setting that may be null is.
 */
export const environmentSettings = (
  env: NodeJS.ProcessEnv,
  settings: readonly Setting[],
): readonly EnvironmentSetting[] => settings.flatMap((setting) => readVariables(env, setting));

const readVariables = (env: NodeJS.ProcessEnv, setting: Setting): readonly EnvironmentSetting[] => {
  const { path, form, isSecret, isNullable, variable, aliases } = setting;
  const values = [variable, ...aliases].flatMap((name) => {
    const text = given(env, name);
    if (text === undefined || (text === '' && !isList(form))) return [];
    const isNull = isNullable && !isSecret && text.trim() === 'null';
    return [{ name, path, value: isNull ? null : READERS[form](text) }];
  });
  const files = fileVariablesOf(setting).flatMap((name) => {
    const file = given(env, name);
    return file ? [{ name, path, value: { file } }] : [];
  });
  return [...values, ...files];
};

/** Two variables that set the same setting: which one is meant cannot be decided. */
export const findContradictions = (
  found: readonly EnvironmentSetting[],
): readonly ConfigProblem[] => {
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
        message: `${other} sets it, too; unset one of them`,
      },
    ];
  });
};

/** Variables that look like ours and set nothing: a setting that is silently not heard is worse. */
export const findUnknownVariables = (
  env: NodeJS.ProcessEnv,
  settings: readonly Setting[],
  /** The merged settings: a secret of theirs may refer to any variable. */
  merged: unknown,
): readonly ConfigProblem[] => {
  const names = settings.flatMap((setting) => [
    setting.variable,
    ...setting.aliases,
    ...fileVariablesOf(setting),
  ]);
  const known = new Set([
    ...names,
    ...OTHER_VARIABLES.map(({ name }) => name),
    ...referredVariables(merged),
  ]);
  return Object.entries(env)
    .filter(
      ([name, value = '']) => isOurs(name) && !known.has(name) && !isFromKubernetes(name, value),
    )
    .map(([name]) => ({
      place: `environment variable ${name}`,
      key: '',
      message: unknownVariable(name, [...known]),
    }));
};

const PREFIX = /^ROLLGATE_/;

const isOurs = (name: string): boolean => PREFIX.test(name);

/** The names behind `{env: NAME}`. */
const referredVariables = (value: unknown): readonly string[] => {
  if (!isPlainObject(value)) return [];
  const { env } = value;
  if (typeof env === 'string' && Object.keys(value).length === 1) return [env];
  return Object.values(value).flatMap(referredVariables);
};

/** The prefix says nothing of how near two names are. */
const unknownVariable = (name: string, known: readonly string[]): string => {
  const nearest = nearestName(
    name.replace(PREFIX, ''),
    known.filter(isOurs).map((one) => one.replace(PREFIX, '')),
  );
  return nearest === undefined
    ? 'sets no setting; unset it, or look in "rollgate config show" for the one that is meant'
    : `sets no setting; did you mean ROLLGATE_${nearest}?`;
};
