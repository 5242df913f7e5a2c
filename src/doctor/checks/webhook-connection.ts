import { isIP } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { createAddressGuard } from '../../plugin/outbound/address-guard.js';
import { createConnector } from '../../plugin/outbound/guarded-connector.js';
import { classifyFault } from '../../plugin/outbound/outbound-fault.js';
import type { DoctorContext, EgressTarget } from '../context.js';
import { roughDuration } from '../rough-duration.js';
import { trustedCas } from '../trusted-cas.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';
import { webhookSettings } from '../webhook-settings.js';

const DAY_MS = 86_400_000;
/** Automatic renewal happens earlier. */
const SOON_MS = 14 * DAY_MS;

/** A TLS connection to a receiver succeeds, through the same address guard as deliveries. */
export const checkWebhookConnection: Check = async (context) => {
  const { egress, clocks } = context;
  if (egress === undefined)
    return skip('Not tested.', 'Pass a receiver to test: --egress-host hooks.example.com');
  const connector = connectorFor(context);
  const start = clocks.elapsed();
  try {
    const expiresAt = await connect(connector, egress);
    return evaluate(egress, expiresAt.getTime() - clocks.now(), clocks.elapsed() - start);
  } catch (error) {
    const { fault, message } = classifyFault(error, urlOf(egress));
    return fail(message, REMEDIES[fault], { fault, ...egress });
  }
};

const REMEDIES = {
  blocked:
    'If webhooks should reach it, add its address to plugins.webhooks.allow (ROLLGATE_WEBHOOKS_ALLOW).',
  tls: 'Correct its certificate, or add its CA to plugins.webhooks.ca (ROLLGATE_WEBHOOKS_CA).',
  dns: 'Correct the name or the resolver (/etc/resolv.conf, /etc/hosts).',
  connect: 'Check that it is running and not blocked by a firewall. Deliveries do not use a proxy.',
  timeout: 'Check firewalls. Deliveries do not use a proxy.',
  broken: 'Check that it uses TLS on this port.',
  url: 'Pass a host, or host:port.',
} as const;

const urlOf = ({ host, port }: EgressTarget): URL =>
  new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);

type Connector = ReturnType<typeof createConnector>;

const connectorFor = (context: DoctorContext): Connector => {
  const { allow, ca } = webhookSettings(context);
  return createConnector({
    guard: createAddressGuard(allow),
    resolve: context.resolve,
    ...(ca !== undefined && {
      secureContext: createSecureContext({ ca: trustedCas(context, ca) }),
    }),
  });
};

/** Resolves to the expiry of the certificate; rejects with the reason of a failure. */
const connect = (connector: Connector, { host, port }: EgressTarget): Promise<Date> =>
  new Promise((resolve, reject) => {
    const target = { hostname: host, protocol: 'https:', port: String(port) };
    const named = isIP(host) === 0 ? { ...target, servername: host } : target;
    connector(named, (...[error, socket]) => {
      if (error) {
        reject(error);
        return;
      }
      resolve(expiryOf(socket as TLSSocket));
      socket.destroy();
    });
  });

/** The socket is a TLSSocket, because the protocol is https. */
const expiryOf = (socket: TLSSocket): Date => new Date(socket.getPeerCertificate().valid_to);

const evaluate = (target: EgressTarget, leftMs: number, tookMs: number): CheckResult => {
  const place = urlOf(target).host;
  const details = { ...target, certificate_days_left: Math.floor(leftMs / DAY_MS) };
  const message = `TLS connection to ${place} in ${roughDuration(tookMs)}`;
  if (leftMs > SOON_MS) return ok(`${message}.`, details);
  return warn(
    `${message}; its certificate expires in ${roughDuration(Math.max(0, leftMs))}.`,
    'Renew it: deliveries fail once it has expired.',
    details,
  );
};
