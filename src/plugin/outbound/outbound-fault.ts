import type { PeerCertificate } from 'node:tls';
import { BlockedAddressError, hostOf, notAllowed } from './address-guard.js';
import type { OutboundResponse } from '../contract/http-sender.js';

export type Fault = Extract<OutboundResponse, { kind: 'unreachable' }>['fault'];

export interface ClassifiedFault {
  readonly fault: Fault;
  readonly message: string;
}

/** What went wrong besides what Node and OpenSSL report; both have codes. */
export class OutboundError extends Error {
  constructor(
    readonly code: 'TIME_OVER' | 'ABORTED' | 'SWITCHED_PROTOCOLS' | 'STALE' | `PROXY_${string}`,
    /** The host of the proxy that is at fault. */
    readonly proxy = '',
  ) {
    super(code);
  }
}

/**
 * What errors mean, by their codes; the first that matches counts. Alerts of a TLS server have the
 * names of OpenSSL, which begin with the version that defined them.
 */
const MESSAGES: Readonly<Partial<Record<Fault, Readonly<Record<string, RegExp>>>>> = {
  dns: {
    'The name {host} has no address.': /^(ENOTFOUND|ENODATA|ENONAME|EAI_NODATA|EAI_NONAME)$/,
    'The name {host} could not be resolved.': /^EAI_/,
  },
  connect: {
    'Connection to {place} refused or unreachable.':
      /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    'The proxy {proxy} (HTTPS_PROXY) does not respond.': /^PROXY_SILENT$/,
    'The proxy {proxy} (HTTPS_PROXY) refused the credentials.': /^PROXY_407$/,
    'The proxy {proxy} (HTTPS_PROXY) refused a connection to the address of {place} (status {status}).':
      /^PROXY_/,
  },
  timeout: {
    'Connection to {place} timed out.': /^ETIMEDOUT$/,
    'No complete response within the time limit.': /^TIME_OVER$/,
  },
  tls: {
    'The certificate is for another name{names}.': /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate has expired.': /^CERT_HAS_EXPIRED$/,
    'The certificate is not valid yet.': /^CERT_NOT_YET_VALID$/,
    'The certificate is self-signed and not trusted here.': /SELF_SIGNED_CERT/,
    'The certificate is from an authority not trusted here, or its chain is incomplete.':
      /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/,
    'The server requires a client certificate (mutual TLS), which is not supported.':
      /ALERT_(CERTIFICATE_REQUIRED|NO_CERTIFICATE|BAD_CERTIFICATE)/,
    'The server refused the TLS handshake: it may require a client certificate (mutual TLS), which is not supported, or other ciphers.':
      /ALERT_HANDSHAKE_FAILURE/,
    'The server speaks HTTP/2 only; it must accept HTTP/1.1 as well.':
      /ALERT_NO_APPLICATION_PROTOCOL|^HTTP2_FRAME$/,
    'The server does not use TLS at {place}; is it an address for http://?':
      /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    'The server supports old versions of TLS only; it must support TLS 1.2 or later.':
      /UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW/,
    'The TLS connection failed ({code}).':
      /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|INVALID_|UNABLE_TO_|HOSTNAME_|EPROTO)/,
  },
  broken: {
    'The gateway aborted the request.': /^ABORTED$/,
    'The server switched protocols (status 101) instead of responding.': /^SWITCHED_PROTOCOLS$/,
    'The response headers are too large; 64 KiB are accepted.': /^HPE_HEADER_OVERFLOW$/,
    'The response has conflicting lengths: more than one Content-Length, or Transfer-Encoding as well.':
      /^HPE_(UNEXPECTED|INVALID)_(CONTENT_LENGTH|TRANSFER_ENCODING)$/,
    'The lines of the response end in LF alone; HTTP requires CR LF.': /^HPE_(CR|LF)_EXPECTED$/,
    'The response is not valid HTTP.': /^HPE_/,
  },
};

const PATTERNS = Object.entries(MESSAGES).flatMap(([fault, messages]) =>
  Object.entries(messages).map(([message, codes]) => [fault as Fault, message, codes] as const),
);
const CLOSED = ['broken', 'The connection closed before the response was complete.'] as const;

/** What is looked at of an error. */
interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cert?: PeerCertificate;
  readonly proxy?: string;
  /** What is not HTTP/1.1. */
  readonly rawPacket?: Uint8Array;
}

/**
 * What an error of the connection or the exchange means, in words for the tenant: never an address
 * that a name resolved to, never the text of the error itself.
 */
export const classifyFault = (error: unknown, url: URL): ClassifiedFault => {
  if (error instanceof BlockedAddressError)
    return { fault: 'blocked', message: notAllowed(hostOf(url)) };
  const failure: Failure = typeof error === 'object' && error !== null ? error : {};
  const code = codeOf(failure);
  const words: Readonly<Record<string, string | undefined>> = {
    host: url.hostname,
    place: `${url.hostname}:${url.port === '' ? '443' : url.port}`,
    names: namesIn(failure.cert),
    proxy: failure.proxy,
    code,
    status: code.replace('PROXY_', ''),
  };
  const [fault, message] = PATTERNS.find(([, , codes]) => codes.test(code)) ?? CLOSED;
  return {
    fault,
    message: message.replace(/\{(\w+)\}/g, (_all, name: string) => words[name] ?? ''),
  };
};

/** While it writes, Node reports every error of OpenSSL as EPROTO, with the reason in the message. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([\w ]+):/;

const codeOf = ({ code, message, rawPacket }: Failure): string => {
  // RFC 9113, 6.5: a server begins with SETTINGS, a frame of type 4 whose length fits two bytes.
  if (rawPacket?.[0] === 0 && rawPacket[3] === 4) return 'HTTP2_FRAME';
  const [, reason] = (code === 'EPROTO' && OPENSSL_REASON.exec(String(message))) || [];
  if (reason !== undefined) return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
  return typeof code === 'string' ? code : '';
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
