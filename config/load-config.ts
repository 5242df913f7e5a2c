import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import {
  environmentSettings,
  type EnvironmentSetting,
  findConflicts,
  findUnknownVariables,
} from './environment.js';
import { explainIssues, unknownPlugin } from './explain-issues.js';
import {
  listSettings,
  NO_SETTINGS,
  type ExtensionSection,
  type SectionGroup,
  type Setting,
  variablePrefixesOf,
} from './list-settings.js';
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
export interface Config extends Omit<
  Settings,
  'mongodb' | 'adminToken' | 'secretKey' | 'operators'
> {
  readonly mongodb: { readonly uri: Secret | null };
  readonly adminToken: Secret | null;
  readonly secretKey: Secret | null;
  readonly operators: Omit<Settings['operators'], 'oidc'> & { readonly oidc: OidcConfig };
}

/** The OpenID provider of operators; without an issuer there is none. */
export interface OidcConfig extends Omit<Settings['operators']['oidc'], 'clientSecret'> {
  readonly clientSecret: Secret | null;
}

/** The validated configuration and the source of each setting. */
export interface LoadedConfig {
  readonly config: Config;
  /** Its source: `config/rollgate.yaml:12`, `environment variable ROLLGATE_PORT` or `default`. */
  readonly originOf: (path: SettingPath) => string;
  /** The options passed to `loadConfig`. */
  readonly options: LoadOptions;
}

export interface LoadOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The file to read instead of the one that ROLLGATE_CONFIG names. */
  readonly path?: string;
  /** If the file is a section of one connector, with `use`, the name to read it by. */
  readonly section?: string;
}

/** The result of validating a configuration, valid or not. */
export interface ConfigReport {
  readonly problems: readonly ConfigProblem[];
  /** Undefined if the core's settings are invalid. */
  readonly loaded: LoadedConfig | undefined;
  /** The valid secrets, by the key of their setting. */
  readonly secrets: ReadonlyMap<string, Secret>;
  /** The valid sections, by the name of their plugin. */
  readonly sections: ReadonlyMap<string, unknown>;
  /** The sections of connectors: their problems are not in `problems`, they stop no gateway. */
  readonly connectors: ReadonlyMap<string, CheckedSection<unknown>>;
  readonly placeOf: (path: SettingPath) => string;
}

const DEFAULT_FILE = 'config/rollgate.yaml';

/**
 * Reads the file (the given one, else ROLLGATE_CONFIG, else config/rollgate.yaml if it exists) and
 * applies the environment variables, including those of the given plugins. Throws one ConfigError
 * with all problems of the core's settings; it does not validate the plugins' sections.
 */
export const loadConfig = (
  options: LoadOptions,
  plugins: readonly ExtensionSection[] = [],
): LoadedConfig => {
  const sources = readSources(options, plugins);
  const core = checkCore(sources);
  if (core.settings === undefined) throw new ConfigError(core.problems);
  return createLoadedConfig(core.settings, sources, { options, plugins });
};

/** Validates the configuration including the plugins' sections, as a start does, and reports all problems. */
export const validateConfig = (
  options: LoadOptions,
  plugins: readonly ExtensionSection[],
): ConfigReport => {
  const sources = readSources(options, plugins);
  const core = checkCore(sources);
  const problems = [...core.problems, ...findUnknown(sources, plugins, options)];
  const sections = new Map<string, unknown>();
  const connectors = new Map<string, CheckedSection<unknown>>();
  for (const { group = 'plugins', name, settings = NO_SETTINGS, isEnabled = true } of plugins) {
    if (!isEnabled) continue;
    const checked = checkSection(sources, options, { group, name, schema: settings });
    if (group === 'connectors') connectors.set(name, checked);
    else if ('problems' in checked) problems.push(...checked.problems);
    else sections.set(name, checked.output);
  }
  return {
    problems,
    loaded: core.settings && createLoadedConfig(core.settings, sources, { options, plugins }),
    secrets: readSecrets(sources, options),
    sections,
    connectors,
    placeOf: sources.placeOf,
  };
};

/** The sources of settings. */
export interface Sources {
  readonly file: ConfigFile | undefined;
  readonly fromEnvironment: readonly EnvironmentSetting[];
  readonly merged: PlainObject;
  readonly placeOf: PlaceOf;
}

/** Throws a ConfigError if the file cannot be read. */
export const readSources = (
  options: LoadOptions,
  plugins: readonly ExtensionSection[] = [],
): Sources => {
  const file = findFile(options);
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
    : explainIssues({
        schema: ConfigSchema,
        error: result.error,
        given: merged,
        under: [],
        placeOf,
      });
  const problems = [...issues, ...findConflicts(fromEnvironment)];
  if (result.success && problems.length === 0) return { problems: [], settings: result.data };
  return { problems, settings: undefined };
};

const createLoadedConfig = (
  settings: Settings,
  sources: Sources,
  {
    options,
    plugins,
  }: { readonly options: LoadOptions; readonly plugins: readonly ExtensionSection[] },
): LoadedConfig => ({
  config: withSecrets(settings, sources, { options, plugins }),
  options,
  originOf: (path) => (isSet(path, sources) ? sources.placeOf(path) : 'default'),
});

const findFile = ({ env, cwd, path, section }: LoadOptions): ConfigFile | undefined => {
  const named = path ?? env.ROLLGATE_CONFIG;
  if (named) {
    const file = readConfigFile(resolve(cwd, named), cwd);
    return section !== undefined && 'use' in file.settings ? asConnector(file, section) : file;
  }
  const defaultPath = resolve(cwd, DEFAULT_FILE);
  return existsSync(defaultPath) ? readConfigFile(defaultPath, cwd) : undefined;
};

/** The file as if it had its settings in `connectors`. */
const asConnector = (file: ConfigFile, name: string): ConfigFile => {
  const inFile = (path: SettingPath): SettingPath => path.slice(2);
  return {
    path: file.path,
    settings: { connectors: { [name]: file.settings } },
    placeOf: (path) => file.placeOf(inFile(path)),
    has: (path) => file.has(inFile(path)),
  };
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
    const variable = fromEnvironment.find((setting) => startsWithPath(path, setting.path));
    if (variable !== undefined) return `environment variable ${variable.name}`;
    return file?.placeOf(path) ?? 'the default settings';
  };

const isSet = (path: SettingPath, { file, fromEnvironment }: Sources): boolean =>
  file?.has(path) === true || fromEnvironment.some((setting) => startsWithPath(path, setting.path));

const startsWithPath = (path: SettingPath, whole: SettingPath): boolean =>
  whole.every((step, index) => step === path[index]);

/** A section as its schema parsed it, or what is wrong with it. */
export type CheckedSection<Output> =
  { readonly output: Output } | { readonly problems: readonly ConfigProblem[] };

const checkSection = <Output>(
  sources: Sources,
  options: LoadOptions,
  {
    group,
    name,
    schema,
  }: {
    readonly group: SectionGroup;
    readonly name: string;
    readonly schema: z.ZodType<Output>;
  },
): CheckedSection<Output> => {
  const { merged, placeOf } = sources;
  const under = [group, name];
  const given = ownSettings(valueAt(merged, under) ?? {});
  const result = schema.safeParse(given);
  if (!result.success)
    return { problems: explainIssues({ schema, error: result.error, given, under, placeOf }) };
  return { output: placeSecrets(result.data, under, { sources, options }) as Output };
};

/** A section without what belongs to Rollgate. */
const ownSettings = (section: unknown): unknown => {
  if (!isPlainObject(section)) return section;
  const { use: _use, enabled: _enabled, ...pluginSources } = section;
  return pluginSources;
};

/** Adds its place to each secret: errors name it, and relative files start from there. */
const placeSecrets = (
  value: unknown,
  path: SettingPath,
  context: { readonly sources: Sources; readonly options: LoadOptions },
): unknown => {
  const { sources, options } = context;
  if (value instanceof Secret)
    return value.placed({ ...options, place: sources.placeOf(path), key: keyOf(path) });
  const place = (inner: unknown, step: string | number): unknown =>
    placeSecrets(inner, [...path, step], context);
  if (Array.isArray(value)) return value.map(place);
  if (!isPlainObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, place(inner, key)]));
};

const createSecret = (
  source: SecretSource,
  path: SettingPath,
  { placeOf }: Sources,
  { env, cwd }: LoadOptions,
): Secret => new Secret(source, { env, cwd, place: placeOf(path), key: keyOf(path) });

/** Parsed one by one, so that errors in other settings do not prevent their check. */
const readSecrets = (sources: Sources, options: LoadOptions): ReadonlyMap<string, Secret> =>
  new Map(
    listSettings()
      .filter(({ isSecret }) => isSecret)
      .flatMap(({ key, path }) => {
        const { data } = secretField().safeParse(valueAt(sources.merged, path) ?? null);
        return data ? [[key, createSecret(data, path, sources, options)] as const] : [];
      }),
  );

const withSecrets = (
  settings: Settings,
  sources: Sources,
  {
    options,
    plugins,
  }: { readonly options: LoadOptions; readonly plugins: readonly ExtensionSection[] },
): Config => {
  const secret = (source: SecretSource | null, path: SettingPath): Secret | null =>
    source === null ? null : createSecret(source, path, sources, options);
  const withPlacedSecrets = (group: SectionGroup): PlainObject =>
    listSettings(plugins)
      .filter(({ path, isSecret }) => path[0] === group && isSecret)
      .reduce<PlainObject>((sections, { path: [, ...inner] }) => {
        const given = secretField().safeParse(valueAt(sections, inner));
        const source = given.success ? given.data : null;
        return source === null
          ? sections
          : withSetting(sections, inner, secret(source, [group, ...inner]));
      }, settings[group]);
  return {
    ...settings,
    mongodb: { uri: secret(settings.mongodb.uri, ['mongodb', 'uri']) },
    adminToken: secret(settings.adminToken, ['adminToken']),
    secretKey: secret(settings.secretKey, ['secretKey']),
    operators: {
      ...settings.operators,
      oidc: {
        ...settings.operators.oidc,
        clientSecret: secret(settings.operators.oidc.clientSecret, [
          'operators',
          'oidc',
          'clientSecret',
        ]),
      },
    },
    plugins: withPlacedSecrets('plugins') as Settings['plugins'],
    connectors: withPlacedSecrets('connectors'),
  };
};

const findUnknown = (
  { merged, placeOf }: Sources,
  plugins: readonly ExtensionSection[],
  { env }: LoadOptions,
): readonly ConfigProblem[] => {
  const known = plugins.flatMap(({ group, name }) => (group === 'connectors' ? [] : [name]));
  const { plugins: sections } = merged;
  const unknownSections = isPlainObject(sections)
    ? Object.keys(sections).filter((name) => !known.includes(name))
    : [];
  return [
    ...unknownSections.map((name) => ({
      place: placeOf(['plugins', name]),
      key: keyOf(['plugins', name]),
      message: unknownPlugin(name, known),
    })),
    ...findUnknownVariables(
      env,
      listSettings(plugins),
      merged,
      plugins.filter(({ isEnabled = true }) => !isEnabled).flatMap(variablePrefixesOf),
    ),
  ];
};
