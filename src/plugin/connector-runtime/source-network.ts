import { connect as dial, isIP, type Socket } from 'node:net';
import { type SourceNetwork, SourceError } from '../contract/connector-contract.js';
import {
  type AddressGuard,
  BlockedAddressError,
  guardLookup,
  type Resolver,
} from '../outbound/address-guard.js';
import { classifyFault } from '../outbound/outbound-fault.js';

export interface NetworkParts {
  readonly guard: AddressGuard;
  readonly resolve: Resolver;
  /** Aborts when the connector stops. */
  readonly signal: AbortSignal;
}

const CONNECT_MS = 10_000;

/** Connections of a connector; the guard checks the address that is dialled. */
export const createSourceNetwork = ({ guard, resolve, signal }: NetworkParts): SourceNetwork => ({
  connect: ({ host, port, signal: own }) =>
    new Promise<Socket>((done, fail) => {
      const ending = own ? AbortSignal.any([own, signal]) : signal;
      if (ending.aborted) {
        fail(ending.reason as Error);
        return;
      }
      if (isIP(host) !== 0 && !guard.allows(host)) {
        fail(networkError(new BlockedAddressError(), host, port));
        return;
      }
      const socket = dial({
        host,
        port,
        lookup: guardLookup(guard, resolve),
        autoSelectFamily: true,
        timeout: CONNECT_MS,
      });
      const refuse = (error: Error): void => {
        ending.removeEventListener('abort', abort);
        socket.on('error', () => undefined).destroy();
        fail(error);
      };
      const abort = (): void => refuse(ending.reason as Error);
      ending.addEventListener('abort', abort, { once: true });
      socket.once('timeout', () =>
        refuse(new SourceError('network', `Connecting to ${host}:${port} took more than 10 s.`)),
      );
      socket.once('error', (error) => refuse(networkError(error, host, port)));
      socket.once('connect', () => {
        if (!guard.allows(socket.remoteAddress ?? '')) {
          refuse(networkError(new BlockedAddressError(), host, port));
          return;
        }
        socket.setTimeout(0);
        socket.removeAllListeners('timeout').removeAllListeners('error');
        // From now on an abort ends the connection, whatever uses it.
        ending.removeEventListener('abort', abort);
        const end = (): void => void socket.destroy();
        ending.addEventListener('abort', end, { once: true });
        socket.once('close', () => ending.removeEventListener('abort', end));
        done(socket);
      });
    }),
});

const networkError = (error: Error, host: string, port: number): SourceError => {
  const address = isIP(host) === 6 ? `[${host}]` : host;
  return sourceErrorOf(error, new URL(`tcp://${address}:${port}`));
};

/** What an error of the network means for an operator; without addresses that a name resolved to. */
export const sourceErrorOf = (error: unknown, url: URL): SourceError => {
  const { fault, message } = classifyFault(error, url);
  if (fault === 'blocked')
    return new SourceError(
      'config',
      `The server ${url.hostname} does not have a public address; add its range to "allow" in its section of the configuration.`,
    );
  const kind = fault === 'url' || fault === 'tls' ? 'config' : 'network';
  return new SourceError(kind, `The server ${url.host} cannot be read. ${message}`);
};
