import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuse, type RefusalCode } from '../domain/refusals.js';
import { errorBodyOf } from './errors.js';

interface Fault {
  readonly status: string;
  readonly message: string;
  readonly code?: RefusalCode;
}

/** What the parser refuses before there is a request (the codes are those of node:http). */
const FAULTS: Readonly<Record<string, Fault>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request was not received in time.',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The request line and headers exceed 16 KiB.',
  },
};
const MALFORMED: Fault = {
  status: '400 Bad Request',
  message: 'The request is not well-formed HTTP.',
};

const answerOf = ({ status, message, code = 'INVALID_REQUEST' }: Fault): string => {
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

const hasBegun = (answers: ReadonlySet<ServerResponse>, socket: Duplex): boolean =>
  [...answers].some((answer) => answer.socket === socket && answer.headersSent);

/**
 * Answers what is no request, in the native form, and closes the connection: after a fault nobody
 * knows where the next request would begin (RFC 9112, 9.6). Never writes into another answer.
 */
export const answerBrokenRequest =
  (answers: ReadonlySet<ServerResponse>) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET' || hasBegun(answers, socket)) {
      socket.destroy();
      return;
    }
    socket.end(answerOf(FAULTS[error.code ?? ''] ?? MALFORMED), () => socket.destroy());
  };

const NO_TUNNELS: Fault = {
  status: '501 Not Implemented',
  message: 'CONNECT is not supported: this server is not a proxy.',
  code: 'NOT_IMPLEMENTED',
};

/** Node hands over the bare connection, for what would follow is no HTTP (RFC 9110, 9.3.6). */
export const answerConnect = (_request: IncomingMessage, socket: Duplex): void => {
  socket.on('error', () => socket.destroy());
  socket.end(answerOf(NO_TUNNELS), () => socket.destroy());
};
