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
import type { Check } from './check-result.js';

/** The core's checks in the order of the output; their names are part of the `--json` output. */
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
