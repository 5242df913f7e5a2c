import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve as wholePath } from 'node:path';
import {
  type CheckResult,
  type ConnectionResult,
  type ConnectionTarget,
  createAddressGuard,
  type DoctorCheck,
  type DoctorCheckContext,
  readCaFile,
} from '../../src/plugin/api.js';
import type { WebhookSettings } from './settings.js';

type Context = DoctorCheckContext<WebhookSettings>;

const DAY_MS = 86_400_000;
/** A certificate that is renewed automatically has used up two thirds of its lifetime by then. */
const SOON_MS = 14 * DAY_MS;
/** A network that drops packets makes the resolver wait for its whole time limit. */
const RESOLVE_MS = 5_000;
/** Reserved by IANA, and resolvable everywhere (RFC 6761, 6.5). */
const WELL_KNOWN = 'example.com';

/** `12 ms`, `3 days` */
const roughly = (ms: number): string =>
  ms >= 2 * DAY_MS ? `${Math.round(ms / DAY_MS)} days` : `${Math.round(ms)} ms`;

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/\.$/, '') : String(error);

/** Names are resolved: every delivery starts with that. */
const checkNames = async ({ egress, resolve, elapsed }: Context): Promise<CheckResult> => {
  const name = egress?.host ?? WELL_KNOWN;
  if (isIP(name) !== 0)
    return { status: 'SKIP', message: `${name} is an address; there is no name to resolve.` };
  const start = elapsed();
  try {
    const addresses = await Promise.race([resolve(name), rejectLate()]);
    return {
      status: 'OK',
      message: `${name} resolved in ${roughly(elapsed() - start)}.`,
      details: { name, addresses },
    };
  } catch (error) {
    return unresolved(name, error, egress !== undefined);
  }
};

const rejectLate = (): Promise<never> =>
  new Promise((_resolve, reject) => {
    setTimeout(
      () => reject(new Error(`no response within ${RESOLVE_MS / 1_000} s`)),
      RESOLVE_MS,
    ).unref();
  });

const unresolved = (name: string, error: unknown, isGiven: boolean): CheckResult => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);
  const message = `Cannot resolve ${name} (${code}).`;
  if (isGiven)
    return {
      status: 'FAIL',
      message,
      remedy: 'Correct the name or the resolver (/etc/resolv.conf, /etc/hosts).',
      details: { name },
    };
  return {
    status: 'WARN',
    message,
    remedy:
      'If webhooks leave this network, correct the resolver (/etc/resolv.conf). If not, test an ' +
      'internal receiver with --egress-host receiver.internal.',
    // No Internet access is not an error.
    isAdvice: true,
    details: { name },
  };
};

const REMEDIES: Readonly<Record<Extract<ConnectionResult, { ok: false }>['fault'], string>> = {
  blocked:
    'If webhooks should reach it, add its address to plugins.webhooks.allow (ROLLGATE_WEBHOOKS_ALLOW).',
  tls: 'Correct its certificate, or add its CA to plugins.webhooks.ca (ROLLGATE_WEBHOOKS_CA).',
  dns: 'Correct the name or the resolver (/etc/resolv.conf, /etc/hosts).',
  connect: 'Check that it is running and not blocked by a firewall. A proxy is set by HTTPS_PROXY.',
  timeout: 'Check firewalls. A proxy is set by HTTPS_PROXY.',
  broken: 'Check that it uses TLS on this port.',
  url: 'Pass a host, or host:port.',
};

const placeOf = ({ host, port }: ConnectionTarget): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}`;

/** A TLS connection can be made through the address guard that webhooks pass. */
const checkConnection = async ({ egress, connect, now }: Context): Promise<CheckResult> => {
  if (egress === undefined)
    return {
      status: 'SKIP',
      message: 'Not tested.',
      remedy: 'Pass a receiver to test: --egress-host hooks.example.com',
    };
  let result: ConnectionResult;
  try {
    result = await connect(egress);
  } catch (error) {
    return { status: 'SKIP', message: `${reasonOf(error)}, see webhook-ca.` };
  }
  if (!result.ok)
    return {
      status: 'FAIL',
      message: result.message,
      remedy: REMEDIES[result.fault],
      details: { fault: result.fault, ...egress },
    };
  const leftMs = result.certificateEndsAt.getTime() - now().getTime();
  const details = { ...egress, certificate_days_left: Math.floor(leftMs / DAY_MS) };
  const message = `TLS connection to ${placeOf(egress)} in ${roughly(result.durationMs)}`;
  if (leftMs > SOON_MS) return { status: 'OK', message: `${message}.`, details };
  return {
    status: 'WARN',
    message: `${message}; its certificate expires in ${roughly(Math.max(0, leftMs))}.`,
    remedy: 'Renew it: deliveries fail once it has expired.',
    details,
  };
};

/** The file of further CAs can be read, and none of them has expired. */
const checkAuthorities = ({ settings: { ca }, cwd, now }: Context): CheckResult => {
  if (ca === undefined) return { status: 'OK', message: 'Only the CAs of the system are trusted.' };
  const file = wholePath(cwd, ca);
  try {
    const certificates = readCaFile(file).map((pem) => new X509Certificate(pem));
    const expired = certificates.filter(({ validTo }) => Date.parse(validTo) <= now().getTime());
    const details = { file, certificates: certificates.length };
    if (expired.length === 0)
      return {
        status: 'OK',
        message: `${file} contains ${countOf(certificates.length)}.`,
        details,
      };
    return {
      status: 'WARN',
      message: `${file} contains expired certificates: ${expired.map(nameOf).join('; ')}.`,
      remedy: 'Replace them in the file.',
      details,
    };
  } catch (error) {
    return {
      status: 'FAIL',
      message: `${reasonOf(error)}.`,
      remedy: 'Set plugins.webhooks.ca (ROLLGATE_WEBHOOKS_CA) to a PEM file.',
      details: { file },
    };
  }
};

const countOf = (certificates: number): string =>
  certificates === 1 ? '1 CA certificate' : `${certificates} CA certificates`;

const nameOf = ({ subject, validTo }: X509Certificate): string =>
  `${subject.replaceAll('\n', ', ')} (${validTo})`;

/**
 * An address of every range that is not public. A range of the list equals one of these, is within
 * one, or contains one: in each case its own first address or one of these shows it.
 */
const PRIVATE = [
  '0.0.0.0',
  '10.0.0.0',
  '100.64.0.0',
  '127.0.0.1',
  '169.254.0.0',
  '172.16.0.0',
  '192.168.0.0',
  '198.18.0.0',
  '224.0.0.0',
  '240.0.0.0',
  '::1',
  'fc00::',
  'fe80::',
  'ff00::',
];

const NOTHING_ALLOWED = createAddressGuard([]);

/** What the guard admits with the range and not without. */
const opensPrivate = (range: string): boolean => {
  const [first = ''] = range.trim().split('/');
  const guard = createAddressGuard([range]);
  return [first, ...PRIVATE].some(
    (address) => guard.allows(address) && !NOTHING_ALLOWED.allows(address),
  );
};

/** Which private networks the webhooks of tenants may reach. */
const checkRanges = ({ settings: { allow } }: Context): CheckResult => {
  const opening = allow.filter(opensPrivate);
  if (opening.length === 0)
    return {
      status: 'OK',
      message: 'Webhooks can reach public addresses only.',
      details: { allow },
    };
  return {
    status: 'WARN',
    message: `Webhooks of every tenant can reach non-public addresses: ${opening.join(', ')}.`,
    remedy:
      'Keep plugins.webhooks.allow (ROLLGATE_WEBHOOKS_ALLOW) narrow: addresses of receivers, not ' +
      'networks.',
    details: { allow, opening },
  };
};

/** Checks of `rollgate doctor`; they depend on the section `plugins.webhooks` alone. */
export const DOCTOR_CHECKS: readonly DoctorCheck<WebhookSettings>[] = [
  { name: 'webhook-dns', run: checkNames },
  { name: 'webhook-connection', run: checkConnection },
  { name: 'webhook-ca', run: checkAuthorities },
  { name: 'webhook-allowlist', run: checkRanges },
];
