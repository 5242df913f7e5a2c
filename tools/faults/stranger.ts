import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveMethods } from '../shared/child.js';

/** A client on bare sockets: what it costs to send a request must not slow down what is measured. */
export interface StrangerMethods {
  /** Sends the requests once, over so many connections; resolves with the responses by status. */
  readonly send: (plan: SendPlan) => Promise<Counts>;
  /** Keeps connections open that stop after the head; resolves with how they ended. */
  readonly hold: (plan: HoldPlan) => Promise<Counts>;
}

interface Place {
  readonly port: number;
  /** The attack ends then in any case. */
  readonly maxMs: number;
}

export interface SendPlan extends Place {
  /** Whole requests, as they are written to a connection. */
  readonly requests: readonly string[];
  readonly connections: number;
}

export interface HoldPlan extends Place {
  /** The head of a request with a body. */
  readonly head: string;
  readonly connections: number;
  /** Connections to open in all: one that the gateway ends is replaced. */
  readonly total: number;
}

export type Counts = Readonly<Record<string, number>>;

const createCounts = () => {
  const counts: Record<string, number> = {};
  return {
    counts,
    add: (outcome: string): void => void (counts[outcome] = (counts[outcome] ?? 0) + 1),
  };
};

const open = (port: number): Socket =>
  connect({ port, host: '127.0.0.1', noDelay: true })
    .setEncoding('latin1')
    .on('error', () => undefined);

const statusIn = (text: string): string | undefined => /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];

/** Whether the text is a whole response. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const [, length = '0'] = /^content-length: (\d+)/im.exec(text.slice(0, end + 2)) ?? [];
  return text.length >= end + 4 + Number(length);
};

const send = async ({ port, maxMs, requests, connections }: SendPlan): Promise<Counts> => {
  const { counts, add } = createCounts();
  const ends = performance.now() + maxMs;
  let next = 0;
  const useConnection = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = open(port);
      let received = '';
      const sendNext = (): void => {
        const request = requests[next];
        if (request === undefined || performance.now() > ends) {
          socket.destroy();
          return;
        }
        next += 1;
        received = '';
        socket.write(request);
      };
      socket.on('connect', sendNext).on('close', () => resolve());
      socket.on('data', (text) => {
        received += String(text);
        if (!isWhole(received)) return;
        add(statusIn(received) ?? 'no response');
        sendNext();
      });
    });
  await Promise.all(Array.from({ length: connections }, useConnection));
  return counts;
};

const hold = async ({ port, maxMs, head, connections, total }: HoldPlan): Promise<Counts> => {
  const { counts, add } = createCounts();
  const sockets = new Set<Socket>();
  let opened = 0;
  let isOver = false;
  const begin = (): void => {
    if (isOver || opened >= total) return;
    opened += 1;
    const socket = open(port);
    let received = '';
    sockets.add(socket);
    socket.on('connect', () => socket.write(head));
    socket.on('data', (text) => (received += String(text)));
    // The gateway may keep the connection open after its response: there is nothing more to send.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      add(statusIn(received) ?? (isOver ? 'still open' : 'closed'));
      begin();
    });
  };
  for (let count = 0; count < connections; count += 1) begin();
  await sleep(maxMs);
  isOver = true;
  for (const socket of sockets) socket.destroy();
  while (sockets.size > 0) await sleep(10);
  return counts;
};

serveMethods<StrangerMethods>({ send, hold });
