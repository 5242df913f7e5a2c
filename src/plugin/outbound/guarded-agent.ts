import { type ClientRequest, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type TLSSocket } from 'node:tls';
import {
  type AddressGuard,
  BlockedAddressError,
  checkedAddresses,
  guardLookup,
  hostOf,
  type Resolver,
} from './address-guard.js';
import { OutboundError } from './outbound-fault.js';
import type { OutboundProxy } from './outbound-proxy.js';
import { trustedCertificates } from './trusted-certificates.js';

/** Shorter than the time for a delivery, so that the reason is seen. */
const PROXY_TIMEOUT_MS = 5_000;
/** How long one of several addresses is tried alone; Node's 250 ms give slow networks no chance. */
const ATTEMPT_TIMEOUT_MS = 2_000;
/** How long a connection is kept for the next request, unless its server announces less. */
const IDLE_MS = 4_000;
const MAX_TLS_SESSIONS = 1_000;
/** Of a response. Security products add long ones; the default of Node is 16 KiB. */
export const MAX_HEADERS = 64 * 1024;

export interface GuardedAgentParts {
  readonly guard: AddressGuard;
  readonly resolve: (hostname: string, owner: string) => ReturnType<Resolver>;
  /** A PEM file of CAs to trust in addition to the system's. */
  readonly ca?: string | undefined;
  readonly proxy?: OutboundProxy | undefined;
}

/** A request whose connections and TLS sessions are shared with those of the same owner only. */
export interface OwnedRequest extends RequestOptions {
  readonly owner?: string;
}

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * Keeps connections over TLS that pass the address guard. A literal address is checked before
 * dialling (no lookup is ever called for one), a name's addresses by the lookup, and, whatever came
 * between, the address at the other end before the TLS handshake.
 *
 * Throws an Error for an operator where the file of CAs cannot be read.
 */
export class GuardedAgent extends Agent {
  readonly #parts: GuardedAgentParts;
  /** Those that the proxy has not opened yet. */
  readonly #tunnels = new Set<ClientRequest>();
  #isClosed = false;

  constructor(parts: GuardedAgentParts) {
    super({
      keepAlive: true,
      timeout: IDLE_MS,
      maxCachedSessions: MAX_TLS_SESSIONS,
      // Asked for, a server that speaks HTTP/2 only can say so.
      ALPNProtocols: ['http/1.1'],
      // Made once: to parse the CAs for every connection would cost more than the connection.
      ...(parts.ca !== undefined && {
        secureContext: createSecureContext({ ca: [...trustedCertificates(parts.ca)] }),
      }),
    });
    this.#parts = parts;
  }

  /** What shares connections and TLS sessions: everything else is the same for all requests. */
  override getName({ host, port, owner = '' }: OwnedRequest = {}): string {
    return `${host ?? ''} ${port ?? ''} ${owner}`;
  }

  override createConnection(options: OwnedRequest, connected: Connected): undefined {
    const { guard, resolve, proxy } = this.#parts;
    const { owner = '' } = options;
    const host = options.host ?? '';
    const port = Number(options.port);
    const resolveForOwner: Resolver = (name) => resolve(name, owner);
    const refuse = (error: Error): void => {
      // Node removes its list for this target with the last connection, and there was none.
      const name = this.getName(options);
      if (this.sockets[name]?.length === 0) Reflect.deleteProperty(this.sockets, name);
      (connected as (error: Error) => void)(error);
    };
    const secure = (way: object): TLSSocket => {
      const servername = isIP(host) === 0 ? host : '';
      // The limit of the agent is for connections without a request, not for those being made.
      const target = { ...this.options, ...options, servername, timeout: 0, ...way };
      // A socket of TLS, whatever the types say.
      const socket = super.createConnection(target) as TLSSocket;
      connected(null, socket);
      return socket;
    };

    if (isIP(host) !== 0 && !guard.allows(host)) {
      refuse(new BlockedAddressError());
    } else if (proxy?.isFor(host, port)) {
      checkedAddresses(guard, resolveForOwner, host)
        .then(([address = '']) => this.#openTunnel(proxy, address, port))
        .then((socket) => void secure({ socket }), refuse);
    } else {
      const socket = secure({
        lookup: guardLookup(guard, resolveForOwner),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      });
      // Before the listener that begins the handshake.
      socket.prependOnceListener('connect', () => {
        if (!guard.allows(socket.remoteAddress ?? '')) socket.destroy(new BlockedAddressError());
      });
    }
  }

  /** A connection through the proxy, by address: its own lookup could have another result. */
  #openTunnel(
    { url, authorization }: OutboundProxy,
    address: string,
    port: number,
  ): Promise<Duplex> {
    const authority = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    const requestProxy = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const request = requestProxy(url, {
        method: 'CONNECT',
        path: authority,
        headers: {
          host: authority,
          ...(authorization !== undefined && { 'proxy-authorization': authorization }),
        },
        agent: false,
      });
      const timer = setTimeout(() => request.destroy(), PROXY_TIMEOUT_MS);
      this.#tunnels.add(request);
      request
        .once('close', () => {
          clearTimeout(timer);
          this.#tunnels.delete(request);
        })
        .once('connect', ({ statusCode }, socket) => {
          if (statusCode === undefined || statusCode < 200 || statusCode > 299) {
            socket.destroy();
            reject(new OutboundError(`PROXY_${statusCode ?? ''}`, url.host));
          } else resolve(socket);
        })
        .once('error', () => reject(new OutboundError('PROXY_SILENT', url.host)))
        .end();
      if (this.#isClosed) request.destroy();
    });
  }

  /** Closes connections without a request, which the server may have closed as well. */
  closeIdle(url: URL, owner: string): void {
    const name = this.getName({ host: hostOf(url), port: url.port || 443, owner });
    for (const socket of this.freeSockets[name] ?? []) socket.destroy();
  }

  override destroy(): void {
    this.#isClosed = true;
    for (const request of this.#tunnels) request.destroy();
    super.destroy();
  }
}
