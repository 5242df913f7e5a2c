import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, loadConfig } from '../../config/load-config.js';
import { whyUnreadable } from '../../config/why-unreadable.js';
import { CommandFailure, EXIT, misuse } from './command-failure.js';
import { isLoopback } from './is-loopback.js';
import { isBearerToken } from '../domain/bearer-token.js';
import { isSlug } from '../domain/tenant.js';
import type { World } from './world.js';

/** Where the gateway is and what opens it, and who said so: half of all trouble is the wrong one. */
export interface GatewayAccess {
  /** Without a slash at the end. */
  readonly url: string;
  readonly urlFrom: string;
  readonly token: string;
  readonly tokenFrom: string;
  /** What it is called. */
  readonly tokenIs: 'admin token' | 'API key';
  /** The address by which identity providers reach it. */
  readonly publicUrl: string;
}

export interface AccessOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

type Surroundings = Pick<World, 'env' | 'cwd'>;

interface Found {
  readonly value: string;
  readonly from: string;
}

/** The file in the data folder that holds the admin token made at first start (decisions.md 8). */
const TOKEN_FILE = 'admin-token';

export const findGateway = (options: AccessOptions, world: Surroundings): GatewayAccess => {
  const settings = readOnce(() => loadConfig(world).config);
  const given = givenUrl(options, world.env);
  const url = given ?? configuredUrl(settings());
  const token = checkToken(
    findToken(options, world, () => localToken(url.value, settings(), world)),
  );
  return {
    url: url.value,
    urlFrom: url.from,
    token: token.value,
    tokenFrom: token.from,
    tokenIs: 'admin token',
    publicUrl: given ? given.value : (settings().publicUrl ?? url.value),
  };
};

/** Where the gateway would be, whoever opens it. */
export const findAddress = (
  options: AccessOptions,
  world: Surroundings,
): Pick<GatewayAccess, 'url' | 'urlFrom'> => {
  const { value, from } = givenUrl(options, world.env) ?? configuredUrl(loadConfig(world).config);
  return { url: value, urlFrom: from };
};

export interface TenantOptions extends Pick<AccessOptions, 'url'> {
  readonly tenant?: string | undefined;
  readonly key?: string | undefined;
}

/** What a tenant's own API is spoken to with: an API key, for the admin token opens none. */
export const findTenant = (
  options: TenantOptions,
  world: Surroundings,
): { readonly access: GatewayAccess; readonly slug: string } => {
  const { env } = world;
  const slug = options.tenant ?? env.ROLLGATE_TENANT;
  if (!slug) return misuse('Which tenant? --tenant or ROLLGATE_TENANT gives its slug.');
  if (!isSlug(slug)) return misuse('ROLLGATE_TENANT is no slug of a tenant.');
  const key = options.key
    ? { value: options.key, from: '--key' }
    : env.ROLLGATE_API_KEY && { value: env.ROLLGATE_API_KEY, from: 'ROLLGATE_API_KEY' };
  if (!key)
    throw new CommandFailure(EXIT.unauthenticated, 'No API key was found.', [
      'Give it by ROLLGATE_API_KEY or --key; "rollgate key create" makes one.',
    ]);
  const { url, urlFrom } = findAddress(options, world);
  const token = checkToken(key);
  return {
    slug,
    access: {
      url,
      urlFrom,
      token: token.value,
      tokenFrom: token.from,
      tokenIs: 'API key',
      publicUrl: url,
    },
  };
};

/** The file is only read where something is wanted of it: a broken one hinders nobody else. */
const readOnce = (read: () => Config): (() => Config) => {
  let config: Config | undefined;
  return () => (config ??= read());
};

const givenUrl = ({ url }: AccessOptions, env: NodeJS.ProcessEnv): Found | undefined => {
  if (url !== undefined) return { value: checkUrl(url, '--url'), from: '--url' };
  if (!env.ROLLGATE_URL) return undefined;
  return { value: checkUrl(env.ROLLGATE_URL, 'ROLLGATE_URL'), from: 'ROLLGATE_URL' };
};

const configuredUrl = (config: Config): Found => {
  if (config.port === 0)
    misuse('The gateway takes a free port (port: 0): give the one it printed, by --url.');
  return { value: localAddress(config), from: 'the configuration' };
};

const checkUrl = (text: string, from: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    return misuse(`${from} must be an address like https://rollgate.example.com, not "${text}".`);
  if (url.username || url.password)
    return misuse(`${from} must not hold a user or password; --token gives the admin token.`);
  return url.href.replace(/\/+$/, '');
};

/** Where all addresses of a machine are listened on, this one is too. */
const localAddress = ({ host, port }: Config): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

const findToken = (
  { token }: AccessOptions,
  { env, cwd }: Surroundings,
  otherwise: () => Found,
): Found => {
  if (token) return { value: token, from: '--token' };
  if (env.ROLLGATE_ADMIN_TOKEN)
    return { value: env.ROLLGATE_ADMIN_TOKEN, from: 'ROLLGATE_ADMIN_TOKEN' };
  if (env.ROLLGATE_ADMIN_TOKEN_FILE) return tokenInFile(env.ROLLGATE_ADMIN_TOKEN_FILE, cwd);
  return otherwise();
};

const checkToken = (token: Found): Found =>
  isBearerToken(token.value)
    ? token
    : misuse(
        `What ${token.from} holds is no bearer token: letters, digits, - . _ ~ + / and = only.`,
      );

/** This machine's own token must not travel to another one because somebody mistyped an address. */
const localToken = (url: string, config: Config, world: Surroundings): Found => {
  if (!isOwn(url, config))
    throw noToken(`The token of this machine's gateway is not sent to ${url} unasked.`);
  if (config.adminToken)
    return { value: config.adminToken.reveal(), from: 'the configuration (adminToken)' };
  return tokenInDataFolder(config.dataDir, world);
};

const isOwn = (url: string, config: Config): boolean =>
  isLoopback(url) || url === localAddress(config) || url === config.publicUrl;

const tokenInDataFolder = (dataDir: string, { cwd }: Surroundings): Found => {
  const shown = join(dataDir, TOKEN_FILE);
  try {
    const value = readFileSync(resolve(cwd, shown), 'utf8').trim();
    return { value, from: shown };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw noToken(
      code === 'ENOENT'
        ? `There is no ${shown} here: the gateway makes it at its first start.`
        : `${shown} cannot be read (${code}): it belongs to the account that runs the gateway.`,
    );
  }
};

const tokenInFile = (path: string, cwd: string): Found => {
  try {
    const value = readFileSync(resolve(cwd, path), 'utf8').trim();
    return { value, from: `ROLLGATE_ADMIN_TOKEN_FILE (${path})` };
  } catch (error) {
    throw noToken(`${whyUnreadable(path, error)}: ROLLGATE_ADMIN_TOKEN_FILE names it.`);
  }
};

const noToken = (why: string): CommandFailure =>
  new CommandFailure(EXIT.unauthenticated, 'No admin token was found.', [
    why,
    'Give it by ROLLGATE_ADMIN_TOKEN or --token, or call rollgate in the folder of the gateway.',
  ]);
