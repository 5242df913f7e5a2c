import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../config/config-error.js';
import type { PluginSection } from '../config/list-settings.js';
import { examineConfig, type LoadedConfig, type LoadOptions } from '../config/load-config.js';
import type { Secret } from '../config/secret.js';
import {
  isPlainObject,
  keyOf,
  type PlainObject,
  type SettingPath,
} from '../config/setting-path.js';
import { revealAdminToken, revealSecretKey } from './local-secrets.js';

/** What of a plugin a check of the configuration has to know. */
export interface ConfiguredPlugin extends PluginSection {
  /** Reads the files that its settings name, and says what is wrong with them. */
  readonly checkFiles?: (settings: unknown, cwd: string) => readonly SettingFault[];
}

/** What is wrong with a setting of a plugin; the path begins in the plugin's section. */
export interface SettingFault {
  readonly path: SettingPath;
  readonly message: string;
}

/** The built-in plugins, loaded only by who asks for them: other commands start without. */
export const loadPlugins = async (): Promise<readonly ConfiguredPlugin[]> => {
  const { BUILT_IN_PLUGINS } = await import('../plugins/index.js');
  return BUILT_IN_PLUGINS;
};

/** All that is wrong, and what can be used all the same. */
export interface CheckedConfig {
  readonly problems: readonly ConfigProblem[];
  /** Plugins' sections completed by their defaults; undefined where the core's settings are unfit. */
  readonly loaded: LoadedConfig | undefined;
}

/**
 * The configuration as a start reads it: the core's settings and plugins' sections, variables that
 * set nothing, every secret found and of its form, every file that a setting names. Throws a
 * ConfigError only where the settings file cannot be read at all.
 */
export const inspectConfig = (
  options: LoadOptions,
  plugins: readonly ConfiguredPlugin[],
): CheckedConfig => {
  const { problems, loaded, secrets, sections, placeOf } = examineConfig(options, plugins);
  const wrong = [...secrets].flatMap(([key, secret]) => problemsOf(() => SECRETS[key]?.(secret)));
  const files = plugins.flatMap(({ name, checkFiles }) => {
    const faults = sections.has(name) ? checkFiles?.(sections.get(name), options.cwd) : undefined;
    return (faults ?? []).map(({ path, message }) => problemAt(placeOf, [name, ...path], message));
  });
  return {
    problems: [...problems, ...wrong, ...files],
    loaded: loaded && completed(loaded, plugins, sections),
  };
};

/** The same, with one ConfigError for all that is wrong. */
export const checkConfig = (
  options: LoadOptions,
  plugins: readonly ConfiguredPlugin[],
): LoadedConfig => {
  const { problems, loaded } = inspectConfig(options, plugins);
  if (problems.length > 0 || !loaded) throw new ConfigError(problems);
  return loaded;
};

const problemAt = (
  placeOf: (path: SettingPath) => string,
  inPlugins: SettingPath,
  message: string,
): ConfigProblem => {
  const path = ['plugins', ...inPlugins];
  return { place: placeOf(path), key: keyOf(path), message };
};

const revealMongodbUri = (secret: Secret): string => {
  const uri = secret.reveal();
  if (/^mongodb(\+srv)?:\/\/./.test(uri)) return uri;
  throw secret.fault('expected a connection string, mongodb://… or mongodb+srv://…');
};

/** How each secret is read, by the key of its setting. */
const SECRETS: Readonly<Record<string, (secret: Secret) => unknown>> = {
  'mongodb.uri': revealMongodbUri,
  adminToken: revealAdminToken,
  secretKey: revealSecretKey,
};

/** With plugins' sections as they would stand in the file if everything stood there. */
const completed = (
  loaded: LoadedConfig,
  plugins: readonly ConfiguredPlugin[],
  sections: ReadonlyMap<string, unknown>,
): LoadedConfig => {
  const given = loaded.config.plugins;
  const complete = plugins
    .filter(({ name }) => sections.has(name))
    .map(({ name, settings }) => [name, withDefaults(given[name] ?? {}, settings)] as const);
  return {
    ...loaded,
    config: { ...loaded.config, plugins: { ...given, ...Object.fromEntries(complete) } },
  };
};

/** What has no default stays away. */
const withDefaults = (section: PlainObject, settings: z.ZodType): PlainObject => {
  const { properties } = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
  const defaults = Object.entries(properties ?? {}).flatMap(([key, property]) =>
    isPlainObject(property) && 'default' in property ? [[key, property.default]] : [],
  );
  return { ...(Object.fromEntries(defaults) as PlainObject), ...section };
};

const problemsOf = (check: () => unknown): readonly ConfigProblem[] => {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};
