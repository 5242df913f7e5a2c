import type { Socket } from 'node:net';

/** Time for the client to stop sending and read its response, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Closes a connection in two steps after its response: first the sending side, then all of it, when
 * the client has closed too or after a time limit. If it were closed at once while the client still
 * sends, the connection would be reset and the client could lose the response (RFC 9112, 9.6). Node
 * closes by `destroySoon`, which this replaces for the connection.
 */
export const lingerBeforeClose = (socket: Socket): void => {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('end', () => socket.destroy());
    socket.end();
  };
};
