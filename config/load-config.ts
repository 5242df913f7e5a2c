import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import {
  environmentSettings,
  type EnvironmentSetting,
  findContradictions,
  findUnknownVariables,
} from './environment.js';
import { explainIssues, unknownSetting } from './explain-issues.js';
import { listSettings, type PluginSection, type Setting } from './list-settings.js';
import { ConfigSchema, secretField, type Settings } from './schema.js';
import { Secret, type SecretSource } from './secret.js';
import {
  isPlainObject,
  keyOf,
  type PlainObject,
  valueAt,
  withSetting,
  type SettingPath,
} from './setting-path.js';

/** The validated settings; durations in milliseconds, secrets unrevealed until they are used. */
export interface Config extends Omit<Settings, 'mongodb' | 'adminToken' | 'secretKey'> {
  readonly mongodb: { readonly uri: Secret | null };
  readonly adminToken: Secret | null;
  readonly secretKey: Secret | null;
}

/** The validated configuration and the source of each setting. */
export interface LoadedConfig {
  readonly config: Config;
  /** Its source: `config/rollgate.yaml:12`, `environment variable ROLLGATE_PORT` or `default`. */
  readonly originOf: (path: SettingPath) => string;
  /** Validates a plugin's section; throws a ConfigError with file and line. */
  readonly checkPlugin: <Output>(name: string, schema: z.ZodType<Output>) => Output;
  /**
   * Throws a ConfigError for a section of an unknown plugin, and for a variable `ROLLGATE_…`
   * that matches no setting of the core or of these plugins.
   */
  readonly refuseUnknown: (plugins: readonly PluginSection[]) => void;
}

export interface LoadOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The file to read instead of the one that ROLLGATE_CONFIG names. */
  readonly path?: string;
}

/** The result of validating a configuration, valid or not. */
export interface ExaminedConfig {
  readonly problems: readonly ConfigProblem[];
  /** Undefined if the core's settings are invalid. */
  readonly loaded: LoadedConfig | undefined;
  /** The valid secrets, by the key of their setting. */
  readonly secrets: ReadonlyMap<string, Secret>;
  /** The valid sections, by the name of their plugin. */
  readonly sections: ReadonlyMap<string, unknown>;
  readonly placeOf: (path: SettingPath) => string;
}

const DEFAULT_FILE = 'config/rollgate.yaml';

/**
 * Reads the file (the given one, else ROLLGATE_CONFIG, else config/rollgate.yaml if it exists) and
 * applies the environment variables, including those of the given plugins. Throws one ConfigError
 * with all problems of the core's settings. `checkPlugin` validates the plugins' sections.
 */
export const loadConfig = (
  options: LoadOptions,
  plugins: readonly PluginSection[] = [],
): LoadedConfig => {
  const sources = readSources(options, plugins);
  const core = checkCore(sources);
  if (core.settings === undefined) throw new ConfigError(core.problems);
  return loadedFrom(core.settings, sources, options);
};

/** Validates the configuration including the plugins' sections, as a start does, and reports all problems. */
export const examineConfig = (
  options: LoadOptions,
  plugins: readonly PluginSection[],
): ExaminedConfig => {
  const sources = readSources(options, plugins);
  const core = checkCore(sources);
  const problems = [...core.problems, ...findUnknown(sources, plugins, options)];
  const sections = new Map<string, unknown>();
  for (const { name, settings } of plugins) {
    const checked = checkSection(sources, name, settings);
    if ('problems' in checked) problems.push(...checked.problems);
    else sections.set(name, checked.output);
  }
  return {
    problems,
    loaded: core.settings && loadedFrom(core.settings, sources, options),
    secrets: secretsOf(sources, options),
    sections,
    placeOf: sources.placeOf,
  };
};

/** The sources of settings. */
interface Sources {
  readonly file: ConfigFile | undefined;
  readonly fromEnvironment: readonly EnvironmentSetting[];
  readonly merged: PlainObject;
  readonly placeOf: PlaceOf;
}

const readSources = (options: LoadOptions, plugins: readonly PluginSection[]): Sources => {
  const file = chooseFile(options);
  return withVariables(file, options.env, listSettings(plugins));
};

const withVariables = (
  file: ConfigFile | undefined,
  env: NodeJS.ProcessEnv,
  settings: readonly Setting[],
): Sources => {
  const fromEnvironment = environmentSettings(env, settings);
  return {
    file,
    fromEnvironment,
    merged: merge(file, fromEnvironment),
    placeOf: placeFinder(file, fromEnvironment),
  };
};

type CheckedCore =
  | { readonly problems: readonly []; readonly settings: Settings }
  | { readonly problems: readonly ConfigProblem[]; readonly settings: undefined };

const checkCore = ({ merged, fromEnvironment, placeOf }: Sources): CheckedCore => {
  const result = ConfigSchema.safeParse(merged);
  const issues = result.success
    ? []
    : explainIssues({ schema: ConfigSchema, error: result.error, under: [], placeOf });
  const problems = [...issues, ...findContradictions(fromEnvironment)];
  if (result.success && problems.length === 0) return { problems: [], settings: result.data };
  return { problems, settings: undefined };
};

const loadedFrom = (settings: Settings, sources: Sources, options: LoadOptions): LoadedConfig => ({
  config: withSecrets(settings, sources, options),
  originOf: (path) => (isSet(path, sources) ? sources.placeOf(path) : 'default'),
  checkPlugin: (name, schema) => {
    const settingsOfAll = listSettings([{ name, settings: schema }]);
    const own = withVariables(sources.file, options.env, settingsOfAll);
    const checked = checkSection(own, name, schema);
    if ('problems' in checked) throw new ConfigError(checked.problems);
    return checked.output;
  },
  refuseUnknown: (plugins) => {
    const problems = findUnknown(readAgain(sources, options, plugins), plugins, options);
    if (problems.length > 0) throw new ConfigError(problems);
  },
});

/** The same file, with the variables of plugins that were not loaded when it was read. */
const readAgain = (
  { file }: Sources,
  { env }: LoadOptions,
  plugins: readonly PluginSection[],
): Sources => withVariables(file, env, listSettings(plugins));

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

const isSet = (path: SettingPath, { file, fromEnvironment }: Sources): boolean =>
  file?.has(path) === true || fromEnvironment.some((setting) => isWithin(path, setting.path));

const isWithin = (path: SettingPath, whole: SettingPath): boolean =>
  whole.every((step, index) => step === path[index]);

type CheckedSection<Output> =
  { readonly output: Output } | { readonly problems: readonly ConfigProblem[] };

const checkSection = <Output>(
  { merged, placeOf }: Sources,
  name: string,
  schema: z.ZodType<Output>,
): CheckedSection<Output> => {
  const under = ['plugins', name];
  const result = schema.safeParse(valueAt(merged, under) ?? {});
  if (result.success) return { output: result.data };
  return { problems: explainIssues({ schema, error: result.error, under, placeOf }) };
};

const secretFrom = (
  source: SecretSource,
  path: SettingPath,
  { placeOf }: Sources,
  { env, cwd }: LoadOptions,
): Secret => new Secret(source, { env, cwd, place: placeOf(path), key: keyOf(path) });

/** Parsed one by one, so that errors in other settings do not prevent their check. */
const secretsOf = (sources: Sources, options: LoadOptions): ReadonlyMap<string, Secret> =>
  new Map(
    listSettings()
      .filter(({ isSecret }) => isSecret)
      .flatMap(({ key, path }) => {
        const { data } = secretField().safeParse(valueAt(sources.merged, path) ?? null);
        return data ? [[key, secretFrom(data, path, sources, options)] as const] : [];
      }),
  );

const withSecrets = (settings: Settings, sources: Sources, options: LoadOptions): Config => {
  const secret = (source: SecretSource | null, path: SettingPath): Secret | null =>
    source === null ? null : secretFrom(source, path, sources, options);
  return {
    ...settings,
    mongodb: { uri: secret(settings.mongodb.uri, ['mongodb', 'uri']) },
    adminToken: secret(settings.adminToken, ['adminToken']),
    secretKey: secret(settings.secretKey, ['secretKey']),
  };
};

const findUnknown = (
  { merged, placeOf }: Sources,
  plugins: readonly PluginSection[],
  { env }: LoadOptions,
): readonly ConfigProblem[] => {
  const known = plugins.map(({ name }) => name);
  const { plugins: sections } = merged;
  const strangers = isPlainObject(sections)
    ? Object.keys(sections).filter((name) => !known.includes(name))
    : [];
  return [
    ...strangers.map((name) => ({
      place: placeOf(['plugins', name]),
      key: keyOf(['plugins', name]),
      message: unknownSetting(name, known),
    })),
    ...findUnknownVariables(env, listSettings(plugins), merged),
  ];
};
