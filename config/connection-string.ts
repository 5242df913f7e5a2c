/** Without saying which character it is: it may be part of the password. */
const NOT_ENCODED =
  'has a user name or password that is not percent-encoded: write @ as %40, : as %3A, / as %2F, ' +
  '? as %3F, # as %23, [ as %5B, ] as %5D and % as %25';

/**
 * What is wrong with the connection string of MongoDB, as the rest of a sentence; undefined: nothing
 * that can be seen. Contains no part of it, because a password that is not encoded may be anywhere.
 */
export const connectionStringFault = (uri: string): string | undefined => {
  const [, srv, rest] = /^mongodb(\+srv)?:\/\/(.+)$/.exec(uri) ?? [];
  if (rest === undefined) return 'expected a connection string, mongodb://… or mongodb+srv://…';
  const [, authority = '', path = '', query = ''] = /^([^/?]*)([^?]*)\??(.*)$/.exec(rest) ?? [];
  const credentials = authority.split('@');
  const hosts = (credentials.pop() ?? '').split(',');
  if (credentials.length > 1 || path.includes('@') || !credentials.every(isEncoded))
    return NOT_ENCODED;
  if (srv !== undefined && (hosts.length > 1 || hosts[0]?.includes(':')))
    return 'takes one host name without a port after mongodb+srv://';
  return (
    faultIn(hosts, (host) => hostFault(host)) ??
    faultIn(query.split('&'), (option) =>
      option === '' || /^[^=]+=./.test(option)
        ? undefined
        : 'option % is not written as name=value',
    )
  );
};

/** The first fault, with the number of the part that has it. */
const faultIn = (
  parts: readonly string[],
  faultOf: (part: string) => string | undefined,
): string | undefined => {
  const faults = parts.map((part, index) => faultOf(part)?.replace('%', String(index + 1)));
  return faults.find((fault) => fault !== undefined);
};

const hostFault = (text: string): string | undefined => {
  const [, host, port] = /^(\[[\da-f:.]+\]|[^:[\]\s]+)(?::(.*))?$/i.exec(text) ?? [];
  if (host === undefined) return 'host % is missing or is not a name or an address';
  if (port === undefined || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return undefined;
  return 'the port of host % is not a number from 1 to 65535';
};

const isEncoded = (credentials: string): boolean => {
  try {
    decodeURIComponent(credentials);
    return /^[^:#[\]]+(:[^:#[\]]*)?$/.test(credentials);
  } catch {
    return false;
  }
};
