import { createRequire } from 'node:module';
import {
  type Config,
  type ConfigReport,
  validateConfig,
  type LoadedConfig,
  type LoadOptions,
} from '../../config/load-config.js';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../config/config-error.js';
import { connectionStringFault } from '../../config/connection-string.js';
import { type Secret, secretsIn } from '../../config/secret.js';
import {
  isPlainObject,
  keyOf,
  type PlainObject,
  type SettingPath,
} from '../../config/setting-path.js';
import type {
  LoadedConnector,
  DisabledPlugin,
  LoadedPlugin,
  LoadedPlugins,
} from './load-extensions.js';
import type { ConnectorSection } from '../plugin/connector-runtime/connector-section.js';
import { readProxy } from '../plugin/outbound/outbound-proxy.js';
import { revealAdminToken, revealSecretKey } from '../secrets/local-secrets.js';
import { readLogo } from './read-logo.js';

/** A setting that needs packages which are not installed with Rollgate. */
interface MissingPackages {
  readonly setting: readonly string[];
  /** How to install them. */
  readonly message: string;
}

/** OTEL_EXPORTER_OTLP_ENDPOINT is OpenTelemetry's own. */
export const tracingEndpoint = (
  { telemetry }: Pick<Config, 'telemetry'>,
  env: NodeJS.ProcessEnv,
): string | undefined => telemetry.endpoint ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined);

const TRACING = [
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
];

/**
 * The settings with which a gateway would not start here.
 *
 * @internal
 */
export const findMissingPackages = (
  config: Pick<Config, 'telemetry' | 'operators'>,
  env: NodeJS.ProcessEnv,
  isInstalled: (name: string) => boolean = isInstalledHere,
): readonly MissingPackages[] => {
  const { issuer } = config.operators.oidc;
  return [
    ...(tracingEndpoint(config, env) === undefined
      ? []
      : [{ setting: ['telemetry', 'endpoint'], names: TRACING }]),
    ...(issuer === null
      ? []
      : [{ setting: ['operators', 'oidc', 'issuer'], names: ['openid-client'] }]),
  ].flatMap(({ setting, names }) => {
    if (names.every(isInstalled)) return [];
    const command = `npm install ${names.join(' ')}`;
    return {
      setting,
      message: `needs packages that are not installed; run where Rollgate is installed: ${command}`,
    };
  });
};

const { resolve } = createRequire(import.meta.url);

const isInstalledHere = (name: string): boolean => {
  try {
    return resolve(name) !== '';
  } catch (error) {
    // Another code: it is installed, for `import` only.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
};

/** An enabled plugin with its settings, checked. */
interface ConfiguredPlugin extends LoadedPlugin {
  readonly settings: unknown;
}

/** The plugins of a gateway that can start. */
export interface ConfiguredPlugins {
  readonly enabled: readonly ConfiguredPlugin[];
  readonly disabled: readonly DisabledPlugin[];
  /** Every section under `connectors`; those with problems cannot run, which stops no gateway. */
  readonly connectors: readonly CheckedConnector[];
}

/** A section under `connectors`, checked. */
export interface CheckedConnector extends LoadedConnector {
  /** As parsed; null if it is disabled or has problems. */
  readonly section: ConnectorSection | null;
}

/** All errors, and the settings that are valid nevertheless. */
export interface CheckedConfig {
  /** Errors with which a gateway does not start. */
  readonly problems: readonly ConfigProblem[];
  /** Errors that disable connectors. */
  readonly connectorProblems: readonly ConfigProblem[];
  /** What works, and should be changed all the same. */
  readonly warnings: readonly ConfigProblem[];
  /** With the defaults of plugins; undefined if settings of the core are invalid. */
  readonly loaded: LoadedConfig | undefined;
  /** Without those whose settings are wrong. */
  readonly plugins: ConfiguredPlugins;
}

/**
 * Checks the configuration as a start does: settings of the core and of plugins, unknown variables,
 * secrets and their form, and files that settings refer to. Throws a ConfigError only if the
 * settings file cannot be read.
 */
export const inspectConfig = (options: LoadOptions, plugins: LoadedPlugins): CheckedConfig => {
  const report = validateConfig(options, plugins.sections);
  const { problems, loaded, secrets, sections, placeOf } = report;
  const enabled = plugins.enabled
    .filter(({ name }) => sections.has(name))
    .map((plugin) => ({ ...plugin, settings: sections.get(plugin.name) }));
  const wrong = [...secrets].flatMap(([key, secret]) => problemsOf(() => SECRETS[key]?.(secret)));
  const unrevealed = enabled.flatMap(({ settings }) =>
    secretsIn(settings).flatMap((secret) => problemsOf(() => secret.reveal())),
  );
  const oidc = loaded ? oidcProblems(loaded, placeOf) : [];
  const logo = loaded ? logoProblems(loaded, placeOf, options.cwd) : [];
  const tracing = loaded ? tracingProblems(loaded, options.env) : [];
  const missing = loaded ? packageProblems(loaded, options.env, placeOf) : [];
  const files = enabled.flatMap(({ name, plugin: { checkFiles }, settings }) =>
    (checkFiles?.(settings, options.cwd) ?? []).map(({ path, message }) =>
      problemAt(placeOf, ['plugins', name, ...path], message),
    ),
  );
  const connectors = plugins.connectors.map((one) =>
    checkConnector(one, report, options, plugins.runner),
  );
  const settings = [...enabled.map((one) => one.settings), ...connectors.map((one) => one.section)];
  return {
    problems: [
      ...plugins.problems,
      ...problems,
      ...wrong,
      ...oidc,
      ...logo,
      ...tracing,
      ...problemsOf(() => readProxy(options.env)),
      ...missing,
      ...unrevealed,
      ...files,
    ],
    connectorProblems: connectors.flatMap((one) => one.problems),
    warnings: [...secrets.values(), ...secretsIn(settings)].flatMap(
      (secret) => secret.exposure() ?? [],
    ),
    loaded: loaded && completed(loaded, enabled),
    plugins: { enabled, disabled: plugins.disabled, connectors },
  };
};

/** What an OpenID provider cannot be used without. */
const oidcProblems = (
  { config: { operators } }: LoadedConfig,
  placeOf: (path: SettingPath) => string,
): readonly ConfigProblem[] => {
  const { issuer, clientId, roles } = operators.oidc;
  if (issuer === null) return [];
  const at = (setting: string, message: string): ConfigProblem =>
    problemAt(placeOf, ['operators', 'oidc', setting], message);
  return [
    ...(clientId === null ? [at('clientId', 'is required with issuer')] : []),
    ...(roles.length === 0
      ? [at('roles', 'is required with issuer: without it, no operator can sign in')]
      : []),
  ];
};

const logoProblems = (
  { config: { branding } }: LoadedConfig,
  placeOf: (path: SettingPath) => string,
  cwd: string,
): readonly ConfigProblem[] => {
  if (branding.logo === null) return [];
  try {
    readLogo(branding.logo, cwd);
    return [];
  } catch (error) {
    return [problemAt(placeOf, ['branding', 'logo'], (error as Error).message)];
  }
};

const OTLP_ENDPOINT = 'environment variable OTEL_EXPORTER_OTLP_ENDPOINT';

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The variable of OpenTelemetry that stands in for `telemetry.endpoint`. */
const tracingProblems = (
  { config }: LoadedConfig,
  env: NodeJS.ProcessEnv,
): readonly ConfigProblem[] => {
  const endpoint = tracingEndpoint(config, env);
  if (endpoint === undefined || isHttpUrl(endpoint)) return [];
  return [{ place: OTLP_ENDPOINT, key: '', message: 'expected an http:// or https:// URL' }];
};

const packageProblems = (
  { config, originOf }: LoadedConfig,
  env: NodeJS.ProcessEnv,
  placeOf: (path: SettingPath) => string,
): readonly ConfigProblem[] =>
  findMissingPackages(config, env).map(({ setting, message }) => ({
    ...problemAt(placeOf, setting, message),
    ...(originOf(setting) === 'default' && { place: OTLP_ENDPOINT }),
  }));

const checkConnector = (
  found: LoadedConnector,
  { connectors, placeOf }: ConfigReport,
  { cwd }: LoadOptions,
  runner: LoadedPlugins['runner'],
): CheckedConnector => {
  const { name, connector } = found;
  const checked = connectors.get(name);
  if (!connector || !checked) return { ...found, section: null };
  if ('problems' in checked) return { ...found, section: null, problems: checked.problems };
  const section = checked.output as ConnectorSection;
  const problems = [
    ...secretsIn(section).flatMap((secret) => problemsOf(() => secret.reveal())),
    ...(connector.checkFiles?.(section.settings, cwd) ?? []).map(({ path, message }) =>
      problemAt(placeOf, ['connectors', name, 'settings', ...path], message),
    ),
    ...(runner?.checkConnectorOptions(section) ?? []).map(({ path, message }) =>
      problemAt(placeOf, ['connectors', name, ...path], message),
    ),
  ];
  return {
    ...found,
    tenant: section.tenant,
    section: problems.length > 0 ? null : section,
    problems,
  };
};

/**
 * Like `inspectConfig`, but throws one ConfigError with all errors except those of connectors, which
 * stop no gateway.
 */
export const checkConfig = (
  options: LoadOptions,
  plugins: LoadedPlugins,
): { readonly loaded: LoadedConfig; readonly plugins: ConfiguredPlugins } => {
  const { problems, loaded, plugins: configured } = inspectConfig(options, plugins);
  if (problems.length > 0 || !loaded) throw new ConfigError(problems);
  return { loaded, plugins: configured };
};

const problemAt = (
  placeOf: (path: SettingPath) => string,
  path: SettingPath,
  message: string,
): ConfigProblem => ({ place: placeOf(path), key: keyOf(path), message });

const revealMongodbUri = (secret: Secret): string => {
  const uri = secret.reveal();
  const fault = connectionStringFault(uri);
  if (fault === undefined) return uri;
  throw secret.configError(fault);
};

/** The parser of each secret, by the key of its setting. */
const SECRETS: Readonly<Record<string, (secret: Secret) => unknown>> = {
  'mongodb.uri': revealMongodbUri,
  adminToken: revealAdminToken,
  secretKey: revealSecretKey,
  'operators.oidc.clientSecret': (secret) => secret.reveal(),
};

/** Adds the defaults of plugins to their sections. */
const completed = (loaded: LoadedConfig, plugins: readonly ConfiguredPlugin[]): LoadedConfig => {
  const given = loaded.config.plugins;
  const complete = plugins.map(
    ({ name, plugin: { settings } }) => [name, withDefaults(given[name] ?? {}, settings)] as const,
  );
  return {
    ...loaded,
    config: { ...loaded.config, plugins: { ...given, ...Object.fromEntries(complete) } },
  };
};

/** Settings without a default stay absent. */
const withDefaults = (section: PlainObject, settings: z.ZodType | undefined): PlainObject => {
  if (!settings) return section;
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
