import type { Socket } from 'node:net';

/** Time that a client has to stop sending and read its response, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Closes a connection in two steps when its response is sent: first the sending side, then, when the
 * client has closed too or the time is over, all of it. Closed at once while the client still sends,
 * the connection is reset, and the client loses the response that says why (RFC 9112, 9.6). Node
 * closes by `destroySoon`, so that is what this replaces, for this one connection.
 */
export const lingerBeforeClose = (socket: Socket): void => {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('end', () => socket.destroy());
    socket.end();
  };
};
