import { SourceError, type SourceErrorKind } from '../../src/plugin/api.js';
import type { LdapSettings } from './settings.js';

type Described = readonly [SourceErrorKind, string];

/** By the result code of RFC 4511, 4.1.9. */
const CODES: Readonly<Record<number, (settings: LdapSettings) => Described>> = {
  3: () => ['network', 'The server stopped at its time limit. Ask its operator to raise it.'],
  4: () => [
    'config',
    'The server returned only a part of the entries, because of a size limit for this user. Ask ' +
      'its operator to allow paged searches without a limit for it (OpenLDAP: `limits … ' +
      'size.prtotal=unlimited`).',
  ],
  8: () => ['config', 'The server requires an encrypted connection: use ldaps:// or `startTls`.'],
  10: () => ['config', 'The server refers to another server. Set the address of that one.'],
  11: () => ['config', 'The server returned only a part of the entries: an administrative limit.'],
  13: () => ['config', 'The server requires an encrypted connection: use ldaps:// or `startTls`.'],
  32: ({ base, groups }) => [
    'config',
    `There is no entry ${base}${groups ? ` or ${groups.base}` : ''}, or this user may not see it. ` +
      'Check `base`.',
  ],
  34: ({ bindDn }) => [
    'config',
    `The text ${bindDn} is no valid name of an entry. Check \`bindDn\`.`,
  ],
  48: ({ bindDn }) => ['auth', `The server does not accept ${bindDn} in this way.`],
  49: ({ bindDn }) => ['auth', `The server refused to sign in ${bindDn}. Check the password.`],
  50: ({ bindDn }) => [
    'permission',
    `The user ${bindDn} may not read this. Ask the server's operator.`,
  ],
  51: () => ['network', 'The server is busy.'],
  52: () => ['network', 'The server is not available.'],
  53: () => ['config', 'The server refuses this search, maybe because of its page size.'],
};

/** What a failure of the library or the server means for an operator. */
export const describeFault = (error: unknown, settings: LdapSettings): SourceError => {
  if (error instanceof SourceError) return error;
  const { code, message } = error as { readonly code?: number | string; readonly message: string };
  const described = typeof code === 'number' ? CODES[code]?.(settings) : undefined;
  if (described) return new SourceError(described[0], described[1], { cause: error });
  if (typeof code === 'string' && /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|SSL|TLS/.test(code))
    return new SourceError(
      'config',
      `The certificate of ${settings.url} is not trusted (${code}). Set \`ca\` to a PEM file of the ` +
        'authority that issued it, and use the name that is in it.',
      { cause: error },
    );
  if (/filter|unbalanced parens/i.test(message))
    return new SourceError('config', `A filter is invalid: ${message.replace(/\.?$/, '.')}`, {
      cause: error,
    });
  return new SourceError(
    'network',
    `The server ${settings.url} cannot be read: ${message.split('\n').join(' ').replace(/\.?$/, '.')}`,
    {
      cause: error,
    },
  );
};
