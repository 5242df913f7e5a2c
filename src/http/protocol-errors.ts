import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuse, type RefusalCode } from '../domain/kernel/refusals.js';
import { errorBodyOf } from './errors.js';

interface ProtocolError {
  readonly status: string;
  readonly message: string;
  readonly code?: RefusalCode;
}

/** Errors of the HTTP parser, by Node's code. */
const PROTOCOL_ERRORS: Readonly<Record<string, ProtocolError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request was not received in time.',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The request line and headers exceed 16 KiB.',
  },
};
const MALFORMED: ProtocolError = {
  status: '400 Bad Request',
  message: 'The request is not well-formed HTTP.',
};

const rawResponse = ({ status, message, code = 'INVALID_REQUEST' }: ProtocolError): string => {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBodyOf(refuse(code, message), requestId));
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

const hasStarted = (responses: ReadonlySet<ServerResponse>, socket: Duplex): boolean =>
  [...responses].some((response) => response.socket === socket && response.headersSent);

/**
 * Responds to a malformed request in the native format and closes the connection, since the start
 * of the next request is unknown (RFC 9112, 9.6). Never writes into another response.
 */
export const handleClientError =
  (responses: ReadonlySet<ServerResponse>) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET' || hasStarted(responses, socket)) {
      socket.destroy();
      return;
    }
    socket.end(rawResponse(PROTOCOL_ERRORS[error.code ?? ''] ?? MALFORMED), () => socket.destroy());
  };

const NO_TUNNELS: ProtocolError = {
  status: '501 Not Implemented',
  message: 'CONNECT is not supported: this server is not a proxy.',
  code: 'NOT_IMPLEMENTED',
};

/** CONNECT hands over the bare socket (RFC 9110, 9.3.6). */
export const refuseConnect = (_request: IncomingMessage, socket: Duplex): void => {
  socket.on('error', () => socket.destroy());
  socket.end(rawResponse(NO_TUNNELS), () => socket.destroy());
};
