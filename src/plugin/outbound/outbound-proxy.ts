import { hostOf, createRangeCheck, isAddressRange, isLocalhost } from './address-guard.js';

/** The proxy of the environment, for outbound HTTPS. */
export interface OutboundProxy {
  /** Without credentials. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string;
  /** Whether this target is reached through it. Never this machine. */
  readonly isFor: (host: string, port: number) => boolean;
}

/** The variables in the usual order: curl and others read the lower-case ones first. */
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY'] as const;
const EXCEPTION_VARIABLES = ['no_proxy', 'NO_PROXY'] as const;

/** The variables that decide about a proxy. */
export const OUTBOUND_PROXY_VARIABLES: readonly string[] = [
  ...PROXY_VARIABLES,
  ...EXCEPTION_VARIABLES,
];

const LOOPBACK = createRangeCheck(['127.0.0.0/8', '::1']);

/** The proxy that `HTTPS_PROXY` names, if any. Throws an Error if it cannot be used. */
export const readProxy = (env: NodeJS.ProcessEnv): OutboundProxy | undefined => {
  const text = firstOf(env, PROXY_VARIABLES);
  if (text === undefined) return undefined;
  // Without credentials in the message.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error('expected the URL of an HTTP proxy, such as http://proxy.example:3128');
  const { username, password, origin } = new URL(text);
  const credentials = [username, password].map(decodeURIComponent).join(':');
  const isExcepted = readExceptions(firstOf(env, EXCEPTION_VARIABLES) ?? '');
  return {
    url: new URL(origin),
    ...(username !== '' && {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    }),
    isFor: (host, port) => !isLocalhost(host) && !LOOPBACK(host) && !isExcepted(host, port),
  };
};

const firstOf = (env: NodeJS.ProcessEnv, names: readonly string[]): string | undefined =>
  names.map((name) => env[name]?.trim()).find(Boolean);

/**
 * The targets that `NO_PROXY` lists, separated by commas or spaces: a name and those below it, an
 * address, a range, each with a port if only that is meant, or `*`.
 */
const readExceptions = (text: string): ((host: string, port: number) => boolean) => {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const inRange = createRangeCheck(entries.filter(isAddressRange));
  return (given, port) => {
    const host = given.toLowerCase();
    if (inRange(host)) return true;
    return entries.some((entry) => {
      const [, name = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && Number(only) !== port) return false;
      return entry === '*' || (name !== '' && `.${host}`.endsWith(`.${name}`));
    });
  };
};
