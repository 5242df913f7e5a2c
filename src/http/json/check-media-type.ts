import type { IncomingHttpHeaders } from 'node:http';
import { raise } from '../../domain/kernel/refusals.js';

const JSON_TYPE = 'application/json';
/** The type of SCIM (RFC 7644, 8.1); every API accepts both. */
const SCIM_TYPE = 'application/scim+json';
const TYPES: ReadonlySet<string> = new Set([JSON_TYPE, SCIM_TYPE]);

/**
 * JSON is UTF-8 (RFC 8259, 8.1). Some Java clients label it as ISO-8859-1 (facts on identity
 * providers, 25): the label is accepted, and the body is read as UTF-8.
 */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'iso-8859-1']);

const charsetOf = (parameters: readonly string[]): string | undefined => {
  const charset = parameters
    .map((parameter) => parameter.trim().toLowerCase())
    .find((parameter) => parameter.startsWith('charset='));
  return charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1');
};

/** Refuses a body with other headers than those of uncompressed JSON: 415. */
export const checkMediaType = (
  headers: IncomingHttpHeaders,
  { isScim = false }: { readonly isScim?: boolean | undefined } = {},
): void => {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  if (!TYPES.has(type.trim().toLowerCase())) {
    const types = isScim ? `${SCIM_TYPE} or ${JSON_TYPE}` : JSON_TYPE;
    raise('UNSUPPORTED_MEDIA_TYPE', `Send the body as Content-Type: ${types}.`);
  }
  const charset = charsetOf(parameters);
  if (charset !== undefined && !CHARSETS.has(charset)) {
    raise('UNSUPPORTED_MEDIA_TYPE', 'The body must be encoded as UTF-8.');
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') {
    raise(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Encoding is not supported. Send the body uncompressed.',
    );
  }
};
