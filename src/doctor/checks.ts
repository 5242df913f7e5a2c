import { statfs } from 'node:fs/promises';
import { openFileLimit } from '../process/open-files.js';
import { checkAdminToken } from './checks/admin-token.js';
import { checkClock } from './checks/clock.js';
import { checkConfiguration } from './checks/configuration.js';
import { checkConnectors } from './checks/connectors.js';
import { checkDataFolder } from './checks/data-folder.js';
import { checkDatabase } from './checks/database.js';
import { checkDatabaseVersion } from './checks/database-version.js';
import { checkDeliveries } from './checks/deliveries.js';
import { checkDiskSpace } from './checks/disk-space.js';
import { checkFolderLock } from './checks/folder-lock.js';
import { checkGateway } from './checks/gateway.js';
import { checkGateways } from './checks/gateways.js';
import { checkIndexes } from './checks/indexes.js';
import { checkMajority } from './checks/majority.js';
import { checkMongod } from './checks/mongod.js';
import { checkNode } from './checks/node.js';
import { checkOpenFiles } from './checks/open-files.js';
import { checkOpenIdProvider } from './checks/openid-provider.js';
import { checkSecretFiles } from './checks/secret-files.js';
import { checkSecretKey } from './checks/secret-key.js';
import { checkTopology } from './checks/topology.js';
import { checkTransactions } from './checks/transactions.js';
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
