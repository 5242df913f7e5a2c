import { isIP } from 'node:net';
import { ConfigError } from '../../../config/config-error.js';
import { isLoopback } from '../../../config/is-loopback.js';

/** The proxy of the environment, for outbound HTTPS. */
export interface OutboundProxy {
  /** Without credentials. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string;
  /** Whether this target is reached through it. Never this machine. */
  readonly isFor: (host: string, port: number) => boolean;
}

/** As curl does, the lower-case ones first. */
const PROXY = ['https_proxy', 'HTTPS_PROXY'];
const EXCEPTIONS = ['no_proxy', 'NO_PROXY'];
export const PROXY_VARIABLES: readonly string[] = [...PROXY, ...EXCEPTIONS];

/** The proxy that `HTTPS_PROXY` names, if any. Throws a ConfigError if it cannot be used. */
export const readProxy = (env: NodeJS.ProcessEnv): OutboundProxy | undefined => {
  const valueOf = (names: readonly string[]): string =>
    names.map((name) => env[name]?.trim()).find(Boolean) ?? '';
  const text = valueOf(PROXY);
  if (text === '') return undefined;
  const { origin, credentials } = parse(text);
  const exceptions = valueOf(EXCEPTIONS)
    .toLowerCase()
    .split(/[\s,]+/);
  return {
    url: new URL(origin),
    ...(credentials !== ':' && {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    }),
    isFor: (target, port) => {
      const host = target.toLowerCase().replace(/^\[|\]$|\.$/g, '');
      return (
        !isLoopback(`https://${host.includes(':') ? `[${host}]` : host}`) &&
        !exceptions.some((exception) => covers(exception, host, port))
      );
    },
  };
};

const parse = (text: string): { readonly origin: string; readonly credentials: string } => {
  try {
    const { protocol, origin, username, password } = new URL(text);
    const credentials = [username, password].map(decodeURIComponent).join(':');
    if (/^https?:$/.test(protocol)) return { origin, credentials };
  } catch {
    // Without the cause, which may contain the password.
  }
  const message =
    'expected the URL of an HTTP proxy, such as http://proxy.example:3128; percent-encode the password';
  throw new ConfigError([{ place: 'environment variable HTTPS_PROXY', key: '', message }]);
};

/**
 * An exception is `*`, an address, or a name, which covers those below it; with a port, only that.
 * An IPv6 address with a port is in brackets.
 */
const covers = (exception: string, host: string, port: number): boolean => {
  if (isIP(exception) === 6) return exception === host;
  const [, name = '', only] = /^\*?\.?\[?(.*?)\]?(?::(\d+))?$/.exec(exception) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  return exception === '*' || (name !== '' && `.${host}`.endsWith(`.${name}`));
};
