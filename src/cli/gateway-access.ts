import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, loadConfig } from '../../config/load-config.js';
import { describeReadError } from '../../config/config-error.js';
import type { Method } from '../client/index.js';
import type { CliContext } from './cli-context.js';
import { CliError, codeOf, usageError } from './cli-error.js';
import { findProfile, type Profile } from './profiles.js';
import { isLoopback } from '../../config/is-loopback.js';
import { isBearerToken } from '../domain/kernel/bearer-token.js';

/** The gateway's address and the credential for it, each with its source for error messages. */
export interface GatewayAccess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly urlSource: string;
  readonly token: string;
  readonly tokenSource: string;
  readonly credential: 'admin token' | 'API key';
  /** The address that identity providers use. */
  readonly publicUrl: string;
  /** Authorities to trust beside the usual ones. */
  readonly caFile: string | undefined;
}

export interface GatewayResponse {
  readonly status: number;
  /** The body, unchanged. */
  readonly text: string;
}

export interface RequestParts {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls one API of one gateway; rejects with a CliError. */
export interface GatewayClient {
  /** The path is relative to the API's. Resolves for 2xx only. */
  readonly request: (
    method: Method,
    path: string,
    parts?: RequestParts,
  ) => Promise<GatewayResponse>;
}

export interface AccessOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly profile?: string | undefined;
  readonly caFile?: string | undefined;
}

type Environment = Pick<CliContext, 'env' | 'cwd'>;

interface Value {
  readonly value: string;
  readonly source: string;
}

/** The file in the data folder that holds the generated admin token (decisions.md 8). */
const TOKEN_FILE = 'admin-token';

/** Access to the operators' API. */
export const findOperatorAccess = (
  options: AccessOptions,
  environment: Environment,
): GatewayAccess => {
  const given = givenAccess(options, environment);
  const settings = once(() => loadConfig(environment).config);
  const url = given.url ?? configuredUrl(settings());
  const token = checkToken(given.token() ?? localToken(url.value, settings(), environment));
  return {
    ...accessOf(url, token, 'admin token'),
    publicUrl: given.url ? url.value : (settings().publicUrl ?? url.value),
    caFile: given.caFile,
  };
};

/** The gateway's address, whichever credential is used. */
export const findAddress = (
  options: AccessOptions,
  environment: Environment,
): Pick<GatewayAccess, 'url' | 'urlSource'> => {
  const { value, source } =
    givenAccess(options, environment).url ?? configuredUrl(loadConfig(environment).config);
  return { url: value, urlSource: source };
};

/** Access to a tenant's API; undefined if no API key is given. */
export const findTenantAccess = (
  options: AccessOptions,
  environment: Environment,
): GatewayAccess | undefined => {
  const { url: given, key, caFile } = givenAccess(options, environment);
  if (key === undefined) return undefined;
  const url = given ?? configuredUrl(loadConfig(environment).config);
  return { ...accessOf(url, checkToken(key), 'API key'), publicUrl: url.value, caFile };
};

const accessOf = (url: Value, token: Value, credential: GatewayAccess['credential']) => ({
  url: url.value,
  urlSource: url.source,
  token: token.value,
  tokenSource: token.source,
  credential,
});

interface Given {
  readonly url: Value | undefined;
  readonly key: Value | undefined;
  /** Throws a CliError if a file with the admin token cannot be read. */
  readonly token: () => Value | undefined;
  readonly caFile: string | undefined;
}

/** From options, else a profile, else the environment; a profile's address and credential go together. */
const givenAccess = (options: AccessOptions, environment: Environment): Given => {
  const { env, cwd } = environment;
  const profile = findProfile(options, environment);
  const caFile = options.caFile ?? profile?.ca_file ?? env.ROLLGATE_CA_FILE;
  return {
    url: options.url === undefined && profile ? fromProfile(profile) : givenUrl(options, env),
    key: givenKey(options, env, profile),
    token: () => givenToken(options, environment, profile),
    caFile: caFile ? resolve(cwd, caFile) : undefined,
  };
};

type Named = Profile & { readonly name: string };

const fromProfile = ({ name, url }: Named): Value => ({ value: url, source: sourceOf(name) });

const sourceOf = (profile: string): string => `the profile ${profile}`;

const credentialIn = (
  { name, credential, token }: Named,
  wanted: GatewayAccess['credential'],
): Value | undefined =>
  credential === wanted ? { value: token, source: sourceOf(name) } : undefined;

/** Reads the settings only if they are needed: a broken file must not affect other commands. */
const once = (read: () => Config): (() => Config) => {
  let config: Config | undefined;
  return () => (config ??= read());
};

const givenKey = (
  { apiKey }: AccessOptions,
  env: NodeJS.ProcessEnv,
  profile: Named | undefined,
): Value | undefined => {
  if (apiKey) return { value: apiKey, source: '--api-key' };
  if (profile) return credentialIn(profile, 'API key');
  if (!env.ROLLGATE_API_KEY) return undefined;
  return { value: env.ROLLGATE_API_KEY, source: 'ROLLGATE_API_KEY' };
};

const givenUrl = ({ url }: AccessOptions, env: NodeJS.ProcessEnv): Value | undefined => {
  if (url !== undefined) return { value: checkUrl(url, '--url'), source: '--url' };
  if (!env.ROLLGATE_URL) return undefined;
  return { value: checkUrl(env.ROLLGATE_URL, 'ROLLGATE_URL'), source: 'ROLLGATE_URL' };
};

export const CONFIGURATION = 'the configuration';

const configuredUrl = (config: Config): Value => {
  if (config.port === 0)
    usageError('The gateway listens on a random port (port: 0). Pass its address with --url.');
  return { value: localAddress(config), source: CONFIGURATION };
};

export const checkUrl = (text: string, source: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    return usageError(`${source} must be a URL such as https://rollgate.example.com.`);
  if (url.username || url.password)
    return usageError(`${source} must not contain a user name or password; use --token instead.`);
  return url.href.replace(/\/+$/, '');
};

/** A gateway that listens on all addresses also listens on 127.0.0.1. */
const localAddress = ({ host, port }: Config): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

const givenToken = (
  { token }: AccessOptions,
  { env, cwd }: Environment,
  profile: Named | undefined,
): Value | undefined => {
  if (token) return { value: token, source: '--token' };
  if (profile) {
    const stored = credentialIn(profile, 'admin token');
    if (stored) return stored;
    throw noToken(`The profile ${profile.name} has an API key only.`);
  }
  if (env.ROLLGATE_ADMIN_TOKEN)
    return { value: env.ROLLGATE_ADMIN_TOKEN, source: 'ROLLGATE_ADMIN_TOKEN' };
  if (env.ROLLGATE_ADMIN_TOKEN_FILE) return tokenInFile(env.ROLLGATE_ADMIN_TOKEN_FILE, cwd);
  return undefined;
};

export const checkToken = (token: Value): Value =>
  isBearerToken(token.value)
    ? token
    : usageError(
        `${token.source} is not a valid bearer token. Allowed: letters, digits and -._~+/=`,
      );

/** The local token is sent to the local gateway only: a mistyped --url must not leak it. */
const localToken = (url: string, config: Config, environment: Environment): Value => {
  if (!isLocal(url, config))
    throw noToken(`The local gateway's admin token is not sent to ${url}.`);
  if (config.adminToken)
    return { value: config.adminToken.reveal(), source: 'the configuration (adminToken)' };
  return tokenInDataFolder(config.dataDir, environment);
};

const isLocal = (url: string, config: Config): boolean =>
  isLoopback(url) || url === localAddress(config) || url === config.publicUrl;

const tokenInDataFolder = (dataDir: string, { cwd }: Environment): Value => {
  const path = join(dataDir, TOKEN_FILE);
  try {
    const value = readFileSync(resolve(cwd, path), 'utf8').trim();
    return { value, source: path };
  } catch (error) {
    const code = codeOf(error);
    throw noToken(
      code === 'ENOENT'
        ? `${path} does not exist. A gateway creates it at its first start on a new database. If the ` +
            'token was set or rotated by another gateway, use that token, or start a gateway with a ' +
            'new ROLLGATE_ADMIN_TOKEN, which replaces it.'
        : `Cannot read ${path} (${code}). It belongs to the account that runs the gateway.`,
    );
  }
};

const tokenInFile = (path: string, cwd: string): Value => {
  try {
    const value = readFileSync(resolve(cwd, path), 'utf8').trim();
    return { value, source: `ROLLGATE_ADMIN_TOKEN_FILE (${path})` };
  } catch (error) {
    throw noToken(`ROLLGATE_ADMIN_TOKEN_FILE: ${describeReadError(path, error)}.`);
  }
};

const noToken = (reason: string): CliError =>
  new CliError('NO_CREDENTIAL', 'No admin token.', [
    reason,
    'Run "rollgate login <url>", set ROLLGATE_ADMIN_TOKEN, or run rollgate in the folder where you ' +
      'started the gateway.',
  ]);
