import type { Secret } from '../../config/secret.js';
import type { ConfigProblem } from '../../config/config-error.js';
import type { Config } from '../../config/load-config.js';
import type { CheckResult, ConnectionTarget } from '../plugin/contract/doctor-check.js';
import type { Resolver } from '../plugin/outbound/address-guard.js';
import type { InspectedDatabase } from '../store/inspect/inspect-database.js';
import type { Clocks } from '../store/inspect/read-server.js';

/** What checks use of the machine, shared so that each thing is opened once. */
export interface DoctorContext {
  readonly env: NodeJS.ProcessEnv;
  /** The base of relative paths. */
  readonly cwd: string;
  /** `20.20.2` */
  readonly nodeVersion: string;
  readonly clocks: Clocks;
  /** Errors in the configuration with which a gateway does not start. */
  readonly problems: readonly ConfigProblem[];
  /** Errors that disable connectors only; absent: none. */
  readonly connectorProblems?: readonly ConfigProblem[] | undefined;
  /** Settings that work and should be changed all the same; absent: none. */
  readonly warnings?: readonly ConfigProblem[] | undefined;
  /** Throws a CheckSkipped if the settings cannot be read. */
  readonly config: () => Config;
  /** The data folder as an absolute path. Throws like `config`. */
  readonly dataDir: () => string;
  /** Whether anything is stored in it. Throws like `config`. */
  readonly usesDataDir: () => boolean;
  /** Whether the database is embedded. Throws like `config`. */
  readonly isEmbedded: () => boolean;
  /**
   * The database, opened once for all checks. Rejects with a DatabaseError if it cannot be used,
   * with a CheckSkipped if it is embedded and not running.
   */
  readonly reachDatabase: () => Promise<InspectedDatabase>;
  /** The same for checks of its contents: rejects only with a CheckSkipped. */
  readonly database: () => Promise<InspectedDatabase>;
  readonly gateway: GatewayAccess;
  /** Where to test an outbound connection; undefined: not tested. */
  readonly egress: ConnectionTarget | undefined;
  readonly resolve: Resolver;
}

/** Why something is missing, in a sentence. */
export interface Missing {
  readonly missing: string;
}

/** The address of the gateway, running or not, and the credential for it. */
export interface GatewayAccess {
  readonly address: GatewayAddress | Missing;
  readonly token: AdminToken | Missing;
}

export interface GatewayAddress {
  /** Without a trailing slash. */
  readonly url: string;
  /** Passed explicitly, not taken from the configuration: a gateway must be running there. */
  readonly isGiven: boolean;
  /** Over https, or on this machine. */
  readonly isConfidential: boolean;
}

export interface AdminToken {
  readonly value: string;
  /** `.rollgate/admin-token`, `ROLLGATE_ADMIN_TOKEN` … */
  readonly from: string;
}

/**
 * Checks one thing; changes, starts and locks nothing. A thrown CheckSkipped is reported as SKIP, any
 * other error as FAIL.
 */
export type Check = (context: DoctorContext) => CheckResult | Promise<CheckResult>;

/** Something the check needs is missing; another check reports it, or it is not an error. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** What is read; undefined if that throws a CheckSkipped. */
export const unlessSkipped = async <Value>(
  read: () => Promise<Value>,
): Promise<Value | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CheckSkipped) return undefined;
    throw error;
  }
};

export type { CheckResult };

type Details = CheckResult['details'];

const result = (
  status: CheckResult['status'],
  message: string,
  remedy?: string,
  details?: Details,
): CheckResult => ({
  status,
  message,
  ...(remedy !== undefined && { remedy }),
  ...(details && { details }),
});

export const ok = (message: string, details?: Details): CheckResult =>
  result('OK', message, undefined, details);

export const warn = (message: string, remedy: string, details?: Details): CheckResult =>
  result('WARN', message, remedy, details);

export const fail = (message: string, remedy: string, details?: Details): CheckResult =>
  result('FAIL', message, remedy, details);

export const skip = (message: string, remedy?: string): CheckResult =>
  result('SKIP', message, remedy);

/** The secret; throws a CheckSkipped if it is missing, which the check "configuration" reports. */
export const reveal = (secret: Secret, name: string): string => {
  try {
    return secret.reveal();
  } catch {
    throw new CheckSkipped(`${name} is missing; see configuration.`);
  }
};

/** The first line of an error's message, without a full stop. */
export const reasonOf = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/[.:]$/, '');
};

/** `ENOENT`; the message if the error has no code. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);

/** Throws a CheckSkipped for a path that this account cannot access. */
export const inaccessible = (path: string, error: unknown): never => {
  throw new CheckSkipped(`This account cannot access ${path} (${codeOf(error)}).`);
};

/** The path, or its folder, does not exist. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['s', 1_000],
] as const;

/** A rounded duration: `0.4 ms`, `12 ms`, `3 s`, `5 minutes`, `26 hours`, `3 days`. */
export const roughDuration = (milliseconds: number): string => {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  const [name, size] = UNITS.find(([, unit]) => milliseconds >= 2 * unit) ?? ['ms', 1];
  return `${Math.round(milliseconds / size)} ${name}`;
};
