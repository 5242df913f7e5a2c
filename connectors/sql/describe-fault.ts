import { SourceError, type SourceErrorKind } from '../../src/plugin/api.js';
import type { SqlSettings } from './settings.js';

type Described = readonly [SourceErrorKind, string];

const AUTH: Sentence = ({ user, host }) => [
  'auth',
  `The server ${host} refused to sign in ${user}. Check the user and the password.`,
];
const NO_DATABASE: Sentence = ({ database, host }) => [
  'config',
  `The server ${host} has no database ${database}. Check \`database\`.`,
];
const NO_VIEW: Sentence = ({ view, schema, user }) => [
  'config',
  `There is no view ${schema === undefined ? '' : `${schema}.`}${view}, or ${user} may not see it. ` +
    'Check `schema` and `view`.',
];
const NO_COLUMN: Sentence = ({ view }, message) => [
  'schema',
  `The view ${view} lacks a column: ${message}. Check \`id\`, \`updatedAt\` and \`columns\`, or set ` +
    '`updatedAt: null` if there is no such column.',
];
const NOT_ALLOWED: Sentence = ({ view, user }) => [
  'permission',
  `The user ${user} may not read ${view}. Grant it SELECT on the view.`,
];
const TOO_SLOW: Sentence = ({ view, id, updatedAt }) => [
  'network',
  `Reading a page of ${view} took longer than \`statementTimeout\`. Add an index on ${id}` +
    `${updatedAt === null ? '' : ` and one on (${updatedAt}, ${id})`} to its table.`,
];
const READ_ONLY: Sentence = ({ view }) => [
  'config',
  `Reading ${view} changes data, but this session only reads. Set another view.`,
];

type Sentence = (settings: SqlSettings, message: string) => Described;

/** By SQLSTATE of PostgreSQL and error code of MySQL and MariaDB. */
const CODES: Readonly<Record<string, Sentence>> = {
  '28P01': AUTH,
  '28000': AUTH,
  ER_ACCESS_DENIED_ERROR: AUTH,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: AUTH,
  '3D000': NO_DATABASE,
  ER_BAD_DB_ERROR: NO_DATABASE,
  '42P01': NO_VIEW,
  '3F000': NO_VIEW,
  ER_NO_SUCH_TABLE: NO_VIEW,
  ER_VIEW_INVALID: NO_VIEW,
  '42703': NO_COLUMN,
  ER_BAD_FIELD_ERROR: NO_COLUMN,
  '42501': NOT_ALLOWED,
  ER_TABLEACCESS_DENIED_ERROR: NOT_ALLOWED,
  ER_DBACCESS_DENIED_ERROR: NOT_ALLOWED,
  ER_COLUMNACCESS_DENIED_ERROR: NOT_ALLOWED,
  '57014': TOO_SLOW,
  ER_QUERY_TIMEOUT: TOO_SLOW,
  ER_STATEMENT_TIMEOUT: TOO_SLOW,
  '25006': READ_ONLY,
  ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: READ_ONLY,
};

/** MariaDB's statement time-out, which mysql2 does not name. */
const BY_NUMBER: Readonly<Record<number, Sentence>> = { 1969: TOO_SLOW, 3024: TOO_SLOW };

/** What an error of the library or the server means for an operator. */
export const describeFault = (error: unknown, settings: SqlSettings): SourceError => {
  if (error instanceof SourceError) return error;
  const {
    code = '',
    errno,
    message,
  } = error as {
    readonly code?: string;
    readonly errno?: number;
    readonly message: string;
  };
  const sentence = CODES[code] ?? BY_NUMBER[errno ?? 0];
  if (sentence) {
    const [kind, text] = sentence(settings, message);
    return new SourceError(kind, text, { cause: error });
  }
  const place = `${settings.host}:${settings.port ?? 'default port'}`;
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code) || /certificate/i.test(message))
    return new SourceError(
      'config',
      `The certificate of ${place} is not trusted (${code || message}). Set \`ca\` to a PEM file of ` +
        'the authority that issued it, and `host` to a name that is in it.',
      { cause: error },
    );
  if (/SSL|TLS|wrong version|HANDSHAKE_NO_SSL/i.test(code + message))
    return new SourceError(
      'config',
      `The server ${place} does not encrypt connections. Turn on TLS there, or set \`tls: off\` if the network ` +
        'between is trusted.',
      { cause: error },
    );
  return new SourceError(
    'network',
    `The server ${place} cannot be read: ${message.replace(/\.?$/, '.')}`,
    { cause: error },
  );
};
