import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../config/config-error.js';
import { type LoadedConfig, loadConfig, type LoadOptions } from '../../config/load-config.js';
import type { Secret } from '../../config/secret.js';
import { isPlainObject, type PlainObject } from '../../config/setting-path.js';
import { revealAdminToken, revealSecretKey } from '../local-secrets.js';

/** What of a plugin the configuration has to know. */
export interface ConfiguredPlugin {
  readonly name: string;
  readonly settings: z.ZodType;
}

/** The built-in plugins, loaded only by who asks for them: other commands start without. */
export const loadPlugins = async (): Promise<readonly ConfiguredPlugin[]> => {
  const { BUILT_IN_PLUGINS } = await import('../../plugins/index.js');
  return BUILT_IN_PLUGINS;
};

/**
 * The configuration as a start would read it: plugins' sections checked and completed by their
 * defaults, every secret found and of its form. Throws one ConfigError with all that is wrong.
 */
export const checkConfig = (
  options: LoadOptions,
  plugins: readonly ConfiguredPlugin[],
): LoadedConfig => {
  const loaded = loadConfig(options);
  const { mongodb, adminToken, secretKey } = loaded.config;
  const sections: Record<string, PlainObject> = {};
  collectProblems([
    () => loaded.refuseUnknownPlugins(plugins.map(({ name }) => name)),
    () => mongodb.uri && revealMongodbUri(mongodb.uri),
    () => adminToken && revealAdminToken(adminToken),
    () => secretKey && revealSecretKey(secretKey),
    ...plugins.map(({ name, settings }) => () => {
      loaded.checkPlugin(name, settings);
      sections[name] = withDefaults(loaded.config.plugins[name] ?? {}, settings);
    }),
  ]);
  return { ...loaded, config: { ...loaded.config, plugins: sections } };
};

const revealMongodbUri = (secret: Secret): string => {
  const uri = secret.reveal();
  if (/^mongodb(\+srv)?:\/\/./.test(uri)) return uri;
  throw secret.fault('expected a connection string, mongodb://… or mongodb+srv://…');
};

/** As it would stand in the file if everything stood there; what has no default stays away. */
const withDefaults = (section: PlainObject, settings: z.ZodType): PlainObject => {
  const { properties } = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
  const defaults = Object.entries(properties ?? {}).flatMap(([key, property]) =>
    isPlainObject(property) && 'default' in property ? [[key, property.default]] : [],
  );
  return { ...(Object.fromEntries(defaults) as PlainObject), ...section };
};

const collectProblems = (checks: readonly (() => unknown)[]): void => {
  const problems = checks.flatMap((check) => problemsOf(check));
  if (problems.length > 0) throw new ConfigError(problems);
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
