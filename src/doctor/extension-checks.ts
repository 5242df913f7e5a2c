import { isIP } from 'node:net';
import { resolve as wholePath } from 'node:path';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type {
  ConnectionResult,
  ConnectionTarget,
  DoctorCheck,
  DoctorCheckContext,
} from '../plugin/contract/doctor-check.js';
import { createAddressGuard } from '../plugin/outbound/address-guard.js';
import { createConnector } from '../plugin/outbound/connection-pools.js';
import { classifyFault } from '../plugin/outbound/outbound-fault.js';
import { trustedCertificates } from '../plugin/outbound/trusted-certificates.js';
import { type DoctorContext, type Check, CheckSkipped } from './check.js';

/** An enabled extension and the checks that it declares. */
export interface CheckedExtension {
  /** The key of its section. */
  readonly name: string;
  readonly checks: readonly DoctorCheck[];
  /** Its settings and what they let it reach; undefined: the section has errors. */
  readonly configured?: {
    readonly settings: unknown;
    readonly outbound: { readonly allow?: readonly string[]; readonly ca?: string };
  };
  /** It may be configured more than once: its checks bear the key of the section. */
  readonly multiple?: true;
}

/** The checks of extensions, by their names. */
export const extensionChecks = (
  extensions: readonly CheckedExtension[],
): Readonly<Record<string, Check>> =>
  Object.fromEntries(
    extensions.flatMap((extension) =>
      extension.checks.map((check) => [
        extension.multiple ? `${extension.name}-${check.name}` : check.name,
        checkOf(extension, check),
      ]),
    ),
  );

const checkOf =
  (extension: CheckedExtension, check: DoctorCheck): Check =>
  (context) =>
    check.run(contextFor(extension, context));

const contextFor = (
  { name, configured }: CheckedExtension,
  context: DoctorContext,
): DoctorCheckContext => {
  if (!configured)
    throw new CheckSkipped(`The section plugins.${name} has errors, see configuration.`);
  const { settings, outbound } = configured;
  const { cwd, clocks, egress, resolve } = context;
  return {
    settings,
    section: name,
    cwd,
    now: () => new Date(clocks.now()),
    elapsed: clocks.elapsed,
    egress,
    resolve: (host) => resolve(host),
    connect: async (target) => {
      const connector = connectorFor({ cwd, outbound, resolve });
      const start = clocks.elapsed();
      const durationMs = (): number => clocks.elapsed() - start;
      try {
        const certificateEndsAt = await connect(connector, target);
        return { ok: true, durationMs: durationMs(), certificateEndsAt };
      } catch (error) {
        const fault = classifyFault(error, urlOf(target));
        return { ok: false, durationMs: durationMs(), ...fault } satisfies ConnectionResult;
      }
    },
  };
};

const urlOf = ({ host, port }: ConnectionTarget): URL =>
  new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);

interface Way extends Pick<DoctorContext, 'cwd' | 'resolve'> {
  readonly outbound: NonNullable<CheckedExtension['configured']>['outbound'];
}

type Connector = ReturnType<typeof createConnector>;

/** Throws if the file of authorities cannot be read. */
const connectorFor = ({ cwd, outbound: { allow = [], ca }, resolve }: Way): Connector =>
  createConnector({
    guard: createAddressGuard(allow),
    resolve,
    ...(ca !== undefined && {
      secureContext: createSecureContext({ ca: [...trustedCertificates(wholePath(cwd, ca))] }),
    }),
  });

/** When the certificate ends. Rejects with whatever kept the connection from being made. */
const connect = (connector: Connector, { host, port }: ConnectionTarget): Promise<Date> => {
  const target = { hostname: host, protocol: 'https:', port: String(port) };
  const named = isIP(host) === 0 ? { ...target, servername: host } : target;
  return new Promise((settle, reject) => {
    connector(named, (...[error, socket]) => {
      if (error) {
        reject(error);
        return;
      }
      // The protocol is https, so the socket is one of TLS.
      settle(new Date((socket as TLSSocket).getPeerCertificate().valid_to));
      socket.destroy();
    });
  });
};
