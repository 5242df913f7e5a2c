import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Requests of one turn of the event loop are handled at once for so long, in milliseconds. */
const SLICE_MS = 5;

type Waiting = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Shares the event loop between clients. A burst of requests that arrives in one turn of the loop takes
 * tens of milliseconds to read, which every other client would wait for. After a time slice, further
 * requests wait, and one is handled per turn, each client in its turn: a client with one request
 * waits for at most one of each other client (pipeline-rules.md 9).
 */
export const takeTurns = (
  listener: RequestListener,
  now: () => number = () => performance.now(),
): RequestListener => {
  /** In the order of their turns. */
  const clients = new Map<string, Waiting[]>();
  let sliceEnds: number | undefined;

  const handleNext = (): void => {
    const [first] = clients;
    if (!first) return;
    const [client, queue] = first;
    clients.delete(client);
    const next = queue.shift();
    if (queue.length > 0) clients.set(client, queue);
    if (clients.size > 0) setImmediate(handleNext);
    // The client of a destroyed one has left.
    if (next && !next[0].destroyed) listener(...next);
  };

  const wait = (waiting: Waiting): void => {
    const client = clientOf(waiting[0]);
    const queue = clients.get(client);
    if (queue) queue.push(waiting);
    else clients.set(client, [waiting]);
    if (clients.size === 1 && !queue) setImmediate(handleNext);
  };

  const endTurn = (): void => {
    sliceEnds = undefined;
  };

  return (request, response) => {
    if (sliceEnds === undefined) {
      sliceEnds = now() + SLICE_MS;
      setImmediate(endTurn);
    }
    if (clients.size > 0 || now() > sliceEnds) wait([request, response]);
    else listener(request, response);
  };
};

/** Requests with the same credentials; without any, of the same address. */
const clientOf = ({ headers, socket }: IncomingMessage): string =>
  headers.authorization ?? socket.remoteAddress ?? '';
