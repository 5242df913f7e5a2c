import { withinTime } from '../process/timers.js';
import {
  type DoctorContext,
  reasonOf,
  type Check,
  type CheckResult,
  CheckSkipped,
  fail,
  skip,
} from './check.js';
import { type CheckedExtension, extensionChecks } from './extension-checks.js';
import { maskSecrets, secretsOf } from './mask-secrets.js';
import { type ContextOptions, openContext } from './open-context.js';
import { statfs } from 'node:fs/promises';
import { openFileLimit } from '../process/open-files.js';
import { checkAdminToken, checkSecretFiles, checkSecretKey } from './checks/secrets.js';
import {
  checkClock,
  checkDatabase,
  checkDatabaseVersion,
  checkIndexes,
  checkMajority,
  checkTopology,
  checkTransactions,
} from './checks/database.js';
import {
  checkConfiguration,
  checkConnectors,
  checkOpenIdProvider,
} from './checks/configuration.js';
import {
  checkDataFolder,
  checkDiskSpace,
  checkFolderLock,
  checkMongod,
} from './checks/data-folder.js';
import { checkDeliveries, checkGateway, checkGateways } from './checks/gateways.js';
import { checkNode, checkOpenFiles } from './checks/machine.js';

/**
 * The core's checks in the order of the output; their names are part of the `--json` output.
 *
 * @internal
 */
export const CHECKS = {
  node: checkNode,
  configuration: checkConfiguration,
  'data-folder': checkDataFolder,
  'disk-space': checkDiskSpace(statfs),
  'open-files': checkOpenFiles(openFileLimit),
  'secret-files': checkSecretFiles,
  'secret-key': checkSecretKey,
  mongod: checkMongod,
  'folder-lock': checkFolderLock,
  database: checkDatabase,
  'database-version': checkDatabaseVersion,
  topology: checkTopology,
  majority: checkMajority,
  transactions: checkTransactions,
  indexes: checkIndexes,
  clock: checkClock,
  gateways: checkGateways,
  deliveries: checkDeliveries,
  connectors: checkConnectors,
  'openid-provider': checkOpenIdProvider,
  gateway: checkGateway,
  'admin-token': checkAdminToken,
} as const satisfies Readonly<Record<string, Check>>;

/** The result of a check, with its name. */
export interface Finding extends CheckResult {
  readonly check: string;
}

/** Of each check; the slowest ones wait for connections. */
const CHECK_TIMEOUT_MS = 12_000;

/**
 * Runs all checks concurrently; findings are in the order of the checks. Never rejects.
 *
 * @internal
 */
export const runChecks = (
  checks: Readonly<Record<string, Check>>,
  context: DoctorContext,
  limitMs = CHECK_TIMEOUT_MS,
): Promise<readonly Finding[]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({
      check: name,
      ...(await withinTime(limitMs, async () => check(context)).catch(failureOf)),
    })),
  );

const failureOf = (error: unknown): CheckResult =>
  error instanceof CheckSkipped
    ? skip(error.message)
    : fail(
        `The check failed: ${reasonOf(error)}.`,
        'Run it again. If it fails again, the message above is the cause.',
      );

export type Status = CheckResult['status'];

export interface DiagnoseOptions extends ContextOptions {
  /** Enabled extensions with checks of their own. */
  readonly extensions?: readonly CheckedExtension[];
  /** Secrets of their settings, which must not be shown. */
  readonly secrets?: readonly string[];
}

/**
 * Checks everything a gateway with these settings depends on, running or not. Changes nothing;
 * never rejects.
 */
export const diagnose = async ({
  extensions = [],
  secrets = [],
  ...options
}: DiagnoseOptions): Promise<readonly Finding[]> => {
  const context = openContext(options);
  const checks = { ...CHECKS, ...extensionChecks(extensions) };
  try {
    return maskSecrets(await runChecks(checks, context), [...secretsOf(context), ...secrets]);
  } finally {
    await context.close();
  }
};
