import type { PeerCertificate } from 'node:tls';
import { BlockedAddressError } from './address-guard.js';
import type { OutboundResponse } from '../contract/http-sender.js';

export type Fault = Extract<OutboundResponse, { kind: 'unreachable' }>['fault'];

export interface ClassifiedFault {
  readonly fault: Fault;
  readonly message: string;
}

/** The request's own time is over. */
export class RequestTimeoutError extends Error {
  override readonly name = 'TimeOverError';
}

/** The caller aborted the request, or the sender is closing. */
export class RequestAbortedError extends Error {
  override readonly name = 'CutShortError';
}

const NO_NAME = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EAI_NODATA', 'EAI_NONAME']);
const NO_SERVER = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
const TOO_SLOW = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);
const SELF_SIGNED = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']);
const OTHER_TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|INVALID_|UNABLE_TO_|HOSTNAME_|EPROTO)/;

/**
 * What an error of the connection or the exchange means, in words for the tenant: never an address
 * that a name resolved to, never the text of the error itself.
 */
export const classifyFault = (error: unknown, url: URL): ClassifiedFault => {
  if (error instanceof BlockedAddressError) return { fault: 'blocked', message: error.message };
  if (error instanceof RequestTimeoutError)
    return { fault: 'timeout', message: 'No complete response within the time limit.' };
  if (error instanceof RequestAbortedError) return broken('The gateway aborted the request.');
  const code = codeOf(error);
  return (
    nameFault(code, url) ?? connectFault(code, url) ?? tlsFault(code, error) ?? wireFault(code)
  );
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

const nameFault = (code: string, { hostname }: URL): ClassifiedFault | undefined => {
  if (NO_NAME.has(code)) return { fault: 'dns', message: `The name ${hostname} has no address.` };
  if (code.startsWith('EAI_'))
    return { fault: 'dns', message: `The name ${hostname} could not be resolved.` };
  return undefined;
};

const connectFault = (code: string, url: URL): ClassifiedFault | undefined => {
  const place = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
  if (NO_SERVER.has(code))
    return { fault: 'connect', message: `Connection to ${place} refused or unreachable.` };
  if (TOO_SLOW.has(code)) return { fault: 'timeout', message: `Connection to ${place} timed out.` };
  return undefined;
};

const tlsFault = (code: string, error: unknown): ClassifiedFault | undefined => {
  const message = tlsMessage(code, error);
  return message === undefined ? undefined : { fault: 'tls', message };
};

const tlsMessage = (code: string, error: unknown): string | undefined => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate is for another name${namesIn(error)}.`;
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate has expired.';
  if (code === 'CERT_NOT_YET_VALID') return 'The certificate is not valid yet.';
  if (SELF_SIGNED.has(code)) return 'The certificate is self-signed and not trusted here.';
  if (UNKNOWN_AUTHORITY.has(code))
    return 'The certificate is from an authority not trusted here, or its chain is incomplete.';
  return OTHER_TLS.test(code) ? `The TLS connection failed (${code}).` : undefined;
};

/** Those that the certificate is for, as far as they fit into a sentence. */
const namesIn = (error: unknown): string => {
  const { cert } = error as { readonly cert?: PeerCertificate };
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .filter((entry) => /^DNS:[\w.*-]{1,253}$/.test(entry))
    .map((entry) => entry.slice('DNS:'.length));
  if (names.length === 0) return '';
  return ` (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`;
};

const wireFault = (code: string): ClassifiedFault => {
  if (code.startsWith('HPE_')) return broken('The response is not valid HTTP.');
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return broken('The response headers are too large.');
  return broken('The connection closed before the response was complete.');
};

const broken = (message: string): ClassifiedFault => ({ fault: 'broken', message });
