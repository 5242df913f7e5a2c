import { resolve as wholePath } from 'node:path';
import { TLSSocket } from 'node:tls';
import type {
  ConnectionResult,
  ConnectionTarget,
  DoctorCheck,
  DoctorCheckContext,
} from '../plugin/contract/doctor-check.js';
import { createAddressGuard } from '../plugin/outbound/address-guard.js';
import { GuardedAgent } from '../plugin/outbound/guarded-agent.js';
import { classifyFault } from '../plugin/outbound/outbound-fault.js';
import { readProxy } from '../plugin/outbound/outbound-proxy.js';
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
  const { clocks, cwd, egress, resolve } = context;
  return {
    settings,
    section: name,
    cwd,
    now: () => new Date(clocks.now()),
    elapsed: clocks.elapsed,
    egress,
    resolve: (host) => resolve(host),
    connect: async (target) => {
      const agent = agentFor(outbound, context);
      const start = clocks.elapsed();
      const durationMs = (): number => clocks.elapsed() - start;
      try {
        const certificateEndsAt = await connect(agent, target);
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

/** Throws if the file of CAs cannot be read. */
const agentFor = (
  { allow = [], ca }: NonNullable<CheckedExtension['configured']>['outbound'],
  { cwd, env, resolve }: DoctorContext,
): GuardedAgent =>
  new GuardedAgent({
    guard: createAddressGuard(allow),
    resolve,
    ca: ca === undefined ? undefined : wholePath(cwd, ca),
    proxy: readProxy(env),
  });

/** Shorter than the time for a check, so that the reason is seen. */
const CONNECT_TIMEOUT_MS = 10_000;

/** When the certificate ends. Rejects with whatever kept the connection from being made. */
const connect = (agent: GuardedAgent, { host, port }: ConnectionTarget): Promise<Date> =>
  new Promise((settle, reject) => {
    agent.createConnection({ host, port }, (error, socket) => {
      if (!(socket instanceof TLSSocket)) {
        reject(error ?? new Error('The connection is not encrypted.'));
        return;
      }
      const timer = setTimeout(() => {
        const error = new Error('The connection takes too long.');
        socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
      }, CONNECT_TIMEOUT_MS);
      socket.once('close', () => clearTimeout(timer));
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        settle(new Date(socket.getPeerCertificate().valid_to));
        socket.destroy();
      });
    });
  });
