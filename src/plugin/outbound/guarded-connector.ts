import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';
import { BlockedAddressError, guardLookup, type Resolver } from './guarded-lookup.js';

type Connector = buildConnector.connector;

/** Below the total time of any request that is worth making; undici counts it in whole seconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long one of several addresses is tried alone; Node's 250 ms give slow networks no chance. */
const ATTEMPT_TIMEOUT_MS = 2_000;

/**
 * Wraps what opens connections. A literal address is checked before dialling (no lookup is ever
 * called for one), a name's addresses by the lookup, and, whatever came between, the address at the
 * other end before the connection carries a single byte of a request.
 */
const guardConnector =
  (guard: AddressGuard, connect: Connector): Connector =>
  (options, callback) => {
    if (isIP(options.hostname) !== 0 && !guard.allows(options.hostname)) {
      callback(new BlockedAddressError(), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else if (guard.allows(socket.remoteAddress ?? '')) callback(null, socket);
      else {
        socket.on('error', () => undefined).destroy();
        callback(new BlockedAddressError(), null);
      }
    });
  };

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  readonly resolve: Resolver;
  /** Absent: the system's authorities. */
  readonly secureContext?: SecureContext;
  /** Opens the connections that are guarded; undici's unless a test replaces it. */
  readonly connect?: Connector;
}

/** Each connector has its own cache of TLS sessions. */
export const createConnector = ({
  guard,
  resolve,
  secureContext,
  connect = buildConnector({
    lookup: guardLookup(guard, resolve),
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    ...(secureContext && { secureContext }),
  }),
}: ConnectorOptions): Connector => guardConnector(guard, connect);
