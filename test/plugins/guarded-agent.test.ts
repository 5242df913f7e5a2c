import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AddressGuard,
  BlockedAddressError,
  createAddressGuard,
} from '../../src/plugin/outbound/address-guard.js';
import { GuardedAgent } from '../../src/plugin/outbound/guarded-agent.js';

let server: Server;
let connections: { readonly socket: Socket; received: number }[];

beforeEach(async () => {
  connections = [];
  server = createServer((socket) => {
    const connection = { socket, received: 0 };
    connections.push(connection);
    socket.on('error', () => undefined).on('data', () => (connection.received += 1));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const { socket } of connections) socket.destroy();
  server.close();
});

const agentWith = (guard: AddressGuard): GuardedAgent =>
  new GuardedAgent({ guard, resolve: () => Promise.resolve(['127.0.0.1']) });

/** Why a connection to this host, which resolves to loopback, fails. */
const failureOf = (host: string, guard: AddressGuard): Promise<Error> => {
  const agent = agentWith(guard);
  const { port } = server.address() as AddressInfo;
  return new Promise((settle) => {
    agent.createConnection({ host, port }, (error: Error | null, socket: Duplex) => {
      if (error) settle(error);
      else socket.once('error', settle);
    });
  });
};

describe('the guarded agent', () => {
  it('has no time limit for a connection that is being made', async () => {
    const agent = agentWith(createAddressGuard(['127.0.0.0/8']));
    const { port } = server.address() as AddressInfo;
    const socket = await new Promise<Duplex>((settle) => {
      agent.createConnection({ host: '127.0.0.1', port }, (_error, made) => settle(made));
    });
    socket.on('error', () => undefined);
    expect(Reflect.get(socket, 'timeout')).toBeFalsy();
    socket.destroy();
  });

  it('destroys a connection that ended up elsewhere before it sends a byte', async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const answers = [true, false];
    const guard: AddressGuard = {
      ...createAddressGuard([]),
      allows: () => answers.shift() ?? false,
    };
    expect(await failureOf('hook.test', guard)).toBeInstanceOf(BlockedAddressError);
    expect(answers).toEqual([]);
    const [socket] = await accepted;
    if (!socket.closed) await once(socket, 'close');
    expect(connections).toMatchObject([{ received: 0 }]);
  });

  it.each(['127.0.0.1', '::1', '::ffff:7f00:1'])('never dials the literal %s', async (host) => {
    expect(await failureOf(host, createAddressGuard([]))).toBeInstanceOf(BlockedAddressError);
    expect(connections).toEqual([]);
  });

  it('shares connections and TLS sessions of one owner and server only', () => {
    const agent = new GuardedAgent({
      guard: createAddressGuard([]),
      resolve: () => Promise.resolve([]),
    });
    const names = [
      { host: 'a.test', port: 443, owner: 'acme' },
      { host: 'a.test', port: 443, owner: 'other' },
      { host: 'b.test', port: 443, owner: 'acme' },
      { host: 'a.test', port: 8443, owner: 'acme' },
      { host: 'a.test', port: 443 },
    ].map((request) => agent.getName(request));
    expect(new Set(names).size).toBe(names.length);
  });
});
