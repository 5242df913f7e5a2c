import { isIP } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { createAddressGuard } from '../../plugin/outbound/address-guard.js';
import { createConnector } from '../../plugin/outbound/guarded-connector.js';
import { classifyFault } from '../../plugin/outbound/outbound-fault.js';
import type { DoctorContext, EgressTarget } from '../context.js';
import { roughDuration } from '../rough-duration.js';
import { trustedFor } from '../trusted-for.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';
import { webhookSettings } from '../webhook-settings.js';

const DAY_MS = 86_400_000;
/** Of a certificate that is renewed by itself, two thirds of the time are over by then. */
const SOON_MS = 14 * DAY_MS;

/** A TLS connection can be made, past the very guard that webhooks pass; nothing is sent over it. */
export const checkWebhookConnection: Check = async (context) => {
  const { egress, clocks } = context;
  if (egress === undefined)
    return skip(
      'No connection was tried.',
      'Name a receiver to try: --egress-host hooks.example.com',
    );
  const connector = connectorFor(context);
  const start = clocks.elapsed();
  try {
    const endsAt = await connect(connector, egress);
    return judge(egress, endsAt.getTime() - clocks.now(), clocks.elapsed() - start);
  } catch (error) {
    const { fault, message } = classifyFault(error, urlOf(egress));
    return fail(message, REMEDIES[fault], { fault, ...egress });
  }
};

const REMEDIES = {
  blocked:
    'Where it is meant to be reached: list its address in plugins.webhooks.allow (ROLLGATE_WEBHOOKS_ALLOW).',
  tls: 'Correct its certificate, or name its authority: plugins.webhooks.ca (ROLLGATE_WEBHOOKS_CA).',
  dns: 'Correct the name, or the resolver: /etc/resolv.conf, /etc/hosts.',
  connect: 'Is it running? Is there a firewall? Deliveries go out directly, through no proxy.',
  timeout: 'Is there a firewall? Deliveries go out directly, through no proxy.',
  broken: 'Does it speak TLS at this port?',
  url: 'Name a host, or host:port.',
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
      secureContext: createSecureContext({ ca: trustedFor(context, ca) }),
    }),
  });
};

/** When the certificate ends. Rejects with whatever kept the connection from being made. */
const connect = (connector: Connector, { host, port }: EgressTarget): Promise<Date> =>
  new Promise((resolve, reject) => {
    const target = { hostname: host, protocol: 'https:', port: String(port) };
    const named = isIP(host) === 0 ? { ...target, servername: host } : target;
    connector(named, (...[error, socket]) => {
      if (error) {
        reject(error);
        return;
      }
      resolve(endOf(socket as TLSSocket));
      socket.destroy();
    });
  });

/** The protocol is https, so the socket is one of TLS. */
const endOf = (socket: TLSSocket): Date => new Date(socket.getPeerCertificate().valid_to);

const judge = (target: EgressTarget, leftMs: number, tookMs: number): Verdict => {
  const place = urlOf(target).host;
  const details = { ...target, certificate_days_left: Math.floor(leftMs / DAY_MS) };
  const message = `A TLS connection to ${place} was made in ${roughDuration(tookMs)}`;
  if (leftMs > SOON_MS) return ok(`${message}.`, details);
  return warn(
    `${message}; its certificate ends in ${roughDuration(Math.max(0, leftMs))}.`,
    'See that it is renewed: deliveries fail from then on.',
    details,
  );
};
