import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { describe, expect, it } from 'vitest';
import {
  createAddressGuard,
  BlockedAddressError,
} from '../../src/plugin/outbound/address-guard.js';
import { createConnector } from '../../src/plugin/outbound/connection-pools.js';

class FakeSocket extends EventEmitter {
  isDestroyed = false;
  constructor(readonly remoteAddress: string | undefined) {
    super();
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('error', new Error('reset'));
  }
}

/** Dials through the guard; whatever is dialled ends up at this address. */
const dial = (hostname: string, remoteAddress: string | undefined) => {
  const socket = new FakeSocket(remoteAddress);
  let dialled = false;
  const connect: buildConnector.connector = (_options, callback) => {
    dialled = true;
    callback(null, socket as unknown as Socket);
  };
  let outcome: unknown;
  const resolve = () => Promise.reject(new Error('not looked up here'));
  createConnector({ guard: createAddressGuard([]), resolve, connect })(
    { hostname, protocol: 'https:', port: '443' },
    (...[error, connected]) => {
      outcome = error ?? connected;
    },
  );
  return { socket, dialled, outcome };
};

describe('the guarded connector', () => {
  it('passes on a connection to a public address', () => {
    const { socket, outcome } = dial('hook.test', '1.1.1.1');
    expect(outcome).toBe(socket);
    expect(socket.isDestroyed).toBe(false);
  });

  it.each(['127.0.0.1', '::ffff:10.0.0.1', '169.254.169.254', undefined])(
    'destroys a connection that ended up at %s, whatever the look-up said',
    (remoteAddress) => {
      const { socket, outcome } = dial('hook.test', remoteAddress);
      expect(outcome).toBeInstanceOf(BlockedAddressError);
      expect(socket.isDestroyed).toBe(true);
    },
  );

  it.each(['127.0.0.1', '::1', '::ffff:7f00:1'])('never dials the literal %s', (hostname) => {
    const { dialled, outcome } = dial(hostname, '1.1.1.1');
    expect(outcome).toBeInstanceOf(BlockedAddressError);
    expect(dialled).toBe(false);
  });
});
