import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { ConfigError } from './config-error.js';
import { environmentSettings, type EnvironmentSetting } from './environment.js';
import { explainIssues, unknownSetting } from './explain-issues.js';
import { ConfigSchema, type Settings } from './schema.js';
import { Secret, type SecretSource } from './secret.js';
import { keyOf, withSetting, type SettingPath } from './setting-path.js';

/** The settings, checked; durations in milliseconds, secrets to be revealed where they are used. */
export interface Config extends Omit<Settings, 'mongodb' | 'adminToken' | 'secretKey'> {
  readonly mongodb: { readonly uri: Secret | null };
  readonly adminToken: Secret | null;
  readonly secretKey: Secret | null;
}

/** A configuration that knows where each of its settings comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** Who sets it: `config/rollgate.yaml:12`, `environment variable ROLLGATE_PORT` or `default`. */
  readonly originOf: (path: SettingPath) => string;
  /** Checks a plugin's own section; throws a ConfigError that names file and line. */
  readonly checkPlugin: <Output>(name: string, schema: z.ZodType<Output>) => Output;
  /** Throws a ConfigError for a section of a plugin that does not exist. */
  readonly refuseUnknownPlugins: (known: readonly string[]) => void;
}

export interface LoadOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The file to read, instead of what ROLLGATE_CONFIG says. */
  readonly path?: string;
}

const DEFAULT_FILE = 'config/rollgate.yaml';

/**
 * Reads the file (the given one, else ROLLGATE_CONFIG, else config/rollgate.yaml where it exists)
 * and puts the environment over it. Throws one ConfigError with all problems.
 */
export const loadConfig = (options: LoadOptions): LoadedConfig => {
  const file = chooseFile(options);
  const fromEnvironment = environmentSettings(options.env);
  const placeOf = placeFinder(file, fromEnvironment);
  const settings = check(ConfigSchema, merge(file, fromEnvironment), { placeOf, under: [] });
  return {
    config: withSecrets(settings, options, placeOf),
    originOf: (path) => (isSet(path, file, fromEnvironment) ? placeOf(path) : 'default'),
    checkPlugin: (name, schema) => {
      const under = ['plugins', name];
      return check(schema, settings.plugins[name] ?? {}, { placeOf, under });
    },
    refuseUnknownPlugins: (known) => refuseUnknown(settings, known, placeOf),
  };
};

const chooseFile = ({ env, cwd, path }: LoadOptions): ConfigFile | undefined => {
  const named = path ?? env.ROLLGATE_CONFIG;
  if (named) return readConfigFile(resolve(cwd, named), cwd);
  const usual = resolve(cwd, DEFAULT_FILE);
  return existsSync(usual) ? readConfigFile(usual, cwd) : undefined;
};

const merge = (file: ConfigFile | undefined, fromEnvironment: readonly EnvironmentSetting[]) =>
  fromEnvironment.reduce(
    (settings, { path, value }) => withSetting(settings, path, value),
    file?.settings ?? {},
  );

type PlaceOf = (path: SettingPath) => string;

const placeFinder =
  (file: ConfigFile | undefined, fromEnvironment: readonly EnvironmentSetting[]): PlaceOf =>
  (path) => {
    const variable = fromEnvironment.find((setting) => isWithin(path, setting.path));
    if (variable !== undefined) return `environment variable ${variable.name}`;
    return file?.placeOf(path) ?? 'the default settings';
  };

const isSet = (
  path: SettingPath,
  file: ConfigFile | undefined,
  fromEnvironment: readonly EnvironmentSetting[],
): boolean =>
  file?.has(path) === true || fromEnvironment.some((setting) => isWithin(path, setting.path));

const isWithin = (path: SettingPath, whole: SettingPath): boolean =>
  whole.every((step, index) => step === path[index]);

interface CheckPlace {
  readonly placeOf: PlaceOf;
  readonly under: SettingPath;
}

const check = <Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  { placeOf, under }: CheckPlace,
): Output => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ConfigError(explainIssues({ schema, error: result.error, under, placeOf }));
};

const withSecrets = (settings: Settings, { env, cwd }: LoadOptions, placeOf: PlaceOf): Config => {
  const secret = (source: SecretSource | null, path: SettingPath): Secret | null =>
    source === null
      ? null
      : new Secret(source, { env, cwd, place: placeOf(path), key: keyOf(path) });
  return {
    ...settings,
    mongodb: { uri: secret(settings.mongodb.uri, ['mongodb', 'uri']) },
    adminToken: secret(settings.adminToken, ['adminToken']),
    secretKey: secret(settings.secretKey, ['secretKey']),
  };
};

const refuseUnknown = (settings: Settings, known: readonly string[], placeOf: PlaceOf): void => {
  const problems = Object.keys(settings.plugins)
    .filter((name) => !known.includes(name))
    .map((name) => ['plugins', name])
    .map((path) => ({
      place: placeOf(path),
      key: keyOf(path),
      message: unknownSetting(path[1] ?? '', known),
    }));
  if (problems.length > 0) throw new ConfigError(problems);
};
