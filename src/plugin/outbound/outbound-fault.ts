import type { PeerCertificate } from 'node:tls';
import { BlockedAddressError, hostOf, notAllowed } from './address-guard.js';
import type { OutboundResponse } from '../contract/http-sender.js';
import { ProxyError } from './guarded-agent.js';

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

/** The server switched to another protocol, without being asked to. */
export class SwitchedProtocolsError extends Error {
  readonly code = 'SWITCHED_PROTOCOLS';
}

interface Pattern {
  /** Of the error's code. */
  readonly code: RegExp;
  readonly fault: Fault;
  /** Undefined: this error is another. */
  readonly message: (url: URL, error: Failure) => string | undefined;
}

/** What is looked at of an error. */
interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cert?: PeerCertificate;
  /** What the parser of HTTP could not read. */
  readonly rawPacket?: Uint8Array;
}

const says = (fault: Fault, code: RegExp, message: string | Pattern['message']): Pattern => ({
  code,
  fault,
  message: typeof message === 'string' ? () => message : message,
});

/** While it writes, Node reports every error of OpenSSL as EPROTO, with the reason in the message. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([\w ]+):/;

const codeOf = ({ code, message }: Failure): string => {
  const [, reason] = (code === 'EPROTO' && OPENSSL_REASON.exec(String(message))) || [];
  if (reason !== undefined) return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
  return typeof code === 'string' ? code : '';
};

const placeOf = ({ hostname, port }: URL): string => `${hostname}:${port === '' ? '443' : port}`;

const HTTP2_ONLY = 'The server speaks HTTP/2 only; it must accept HTTP/1.1 as well.';

/** RFC 9113, 6.5: a server begins with SETTINGS, a frame of type 4 whose length fits two bytes. */
const isHttp2 = ({ rawPacket }: Failure): boolean => rawPacket?.[0] === 0 && rawPacket[3] === 4;

/** What the errors of Node and OpenSSL mean. The first that matches counts. */
const PATTERNS: readonly Pattern[] = [
  says(
    'dns',
    /^(ENOTFOUND|ENODATA|ENONAME|EAI_NODATA|EAI_NONAME)$/,
    ({ hostname }) => `The name ${hostname} has no address.`,
  ),
  says('dns', /^EAI_/, ({ hostname }) => `The name ${hostname} could not be resolved.`),
  says(
    'connect',
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    (url) => `Connection to ${placeOf(url)} refused or unreachable.`,
  ),
  says('timeout', /^ETIMEDOUT$/, (url) => `Connection to ${placeOf(url)} timed out.`),
  says(
    'tls',
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    (_url, { cert }) => `The certificate is for another name${namesIn(cert)}.`,
  ),
  says('tls', /^CERT_HAS_EXPIRED$/, 'The certificate has expired.'),
  says('tls', /^CERT_NOT_YET_VALID$/, 'The certificate is not valid yet.'),
  says('tls', /SELF_SIGNED_CERT/, 'The certificate is self-signed and not trusted here.'),
  says(
    'tls',
    /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/,
    'The certificate is from an authority not trusted here, or its chain is incomplete.',
  ),
  // SSL_R_… of OpenSSL: alerts that the server sends begin with the version that defined them.
  says(
    'tls',
    /ALERT_CERTIFICATE_REQUIRED|ALERT_(NO|BAD)_CERTIFICATE/,
    'The server requires a client certificate (mutual TLS), which is not supported.',
  ),
  says(
    'tls',
    /ALERT_HANDSHAKE_FAILURE/,
    'The server refused the TLS handshake: it may require a client certificate (mutual TLS), which is not supported, or other ciphers.',
  ),
  says('tls', /ALERT_NO_APPLICATION_PROTOCOL/, HTTP2_ONLY),
  says(
    'tls',
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/,
    (url) => `The server does not use TLS at port ${url.port || '443'}; is it a port for http://?`,
  ),
  says(
    'tls',
    /UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW/,
    'The server supports old versions of TLS only; it must support TLS 1.2 or later.',
  ),
  says(
    'tls',
    /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|INVALID_|UNABLE_TO_|HOSTNAME_|EPROTO)/,
    (_url, failure) => `The TLS connection failed (${codeOf(failure)}).`,
  ),
  says('broken', /^HPE_/, (_url, error) => (isHttp2(error) ? HTTP2_ONLY : undefined)),
  says(
    'broken',
    /^HPE_HEADER_OVERFLOW$/,
    'The response headers are too large; 64 KiB are accepted.',
  ),
  says(
    'broken',
    /^HPE_(UNEXPECTED|INVALID)_(CONTENT_LENGTH|TRANSFER_ENCODING)$/,
    'The response has conflicting lengths: more than one Content-Length, or Transfer-Encoding as well.',
  ),
  says(
    'broken',
    /^HPE_(CR_EXPECTED|LF_EXPECTED)$/,
    'The lines of the response end in LF alone; HTTP requires CR LF.',
  ),
  says('broken', /^HPE_/, 'The response is not valid HTTP.'),
  says(
    'broken',
    /^SWITCHED_PROTOCOLS$/,
    'The server switched protocols (status 101) instead of responding.',
  ),
  says('broken', /^/, 'The connection closed before the response was complete.'),
];

/**
 * What an error of the connection or the exchange means, in words for the tenant: never an address
 * that a name resolved to, never the text of the error itself.
 */
export const classifyFault = (error: unknown, url: URL): ClassifiedFault => {
  if (error instanceof BlockedAddressError)
    return { fault: 'blocked', message: notAllowed(hostOf(url)) };
  if (error instanceof ProxyError) return { fault: 'connect', message: proxyMessage(error, url) };
  if (error instanceof RequestTimeoutError)
    return { fault: 'timeout', message: 'No complete response within the time limit.' };
  if (error instanceof RequestAbortedError)
    return { fault: 'broken', message: 'The gateway aborted the request.' };
  const failure: Failure = typeof error === 'object' && error !== null ? error : {};
  const code = codeOf(failure);
  for (const pattern of PATTERNS) {
    const message = pattern.code.test(code) ? pattern.message(url, failure) : undefined;
    if (message !== undefined) return { fault: pattern.fault, message };
  }
  throw new Error('The last pattern matches every code.');
};

const proxyMessage = ({ proxy, status }: ProxyError, url: URL): string => {
  if (status === undefined) return `The proxy ${proxy} (HTTPS_PROXY) does not respond.`;
  if (status === 407) return `The proxy ${proxy} (HTTPS_PROXY) refused the credentials.`;
  return (
    `The proxy ${proxy} (HTTPS_PROXY) refused the connection to ${placeOf(url)} with ${status}. ` +
    'It is requested by address.'
  );
};

/** Those that the certificate is for, as far as they fit into a sentence. */
const namesIn = (cert: PeerCertificate | undefined): string => {
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .filter((entry) => /^DNS:[\w.*-]{1,253}$/.test(entry))
    .map((entry) => entry.slice('DNS:'.length));
  if (names.length === 0) return '';
  return ` (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`;
};
