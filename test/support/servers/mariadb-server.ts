import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../../../tools/shared/authority.js';
import type { Cleanup } from '../../../tools/shared/cleanup.js';
import { openSoftware, type Software } from './debian-software.js';
import type { SqlServer } from './postgres-server.js';
import {
  giveToServer,
  LOOPBACK,
  runOnce,
  serverFolder,
  startServer,
  writeServerFile,
} from './server-process.js';

export const findMariadb = (): Promise<Software | undefined> =>
  openSoftware({
    packages: ['mariadb-server-core'],
    files: ['/usr/sbin/mariadbd', '/usr/share/mysql/mysql_system_tables.sql'],
  });

/** The scripts that create the system tables, as mariadb-install-db runs them. */
const SYSTEM_TABLES = [
  'mysql_system_tables.sql',
  'mysql_performance_tables.sql',
  'mysql_system_tables_data.sql',
  'maria_add_gis_sp_bootstrap.sql',
];

/** Starts MariaDB with a new data folder. */
export const startMariadb = async (
  software: Software,
  cleanup: Cleanup,
  identity?: Identity,
): Promise<SqlServer> => {
  const folder = await serverFolder('mariadb', cleanup);
  const data = join(folder, 'data');
  for (const path of [data, join(data, 'mysql')]) {
    await mkdir(path);
    await giveToServer(path);
  }
  const login = { user: 'hr', password: 'maria secret', database: 'hr' };
  const file = (name: string, text: string): Promise<string> => writeServerFile(folder, name, text);
  const command = software.path('/usr/sbin/mariadbd');
  const common = [
    ...['--no-defaults', `--datadir=${data}`, `--tmpdir=${folder}`],
    ...[
      `--basedir=${software.path('/usr')}`,
      `--plugin-dir=${software.path('/usr/lib/mysql/plugin')}`,
    ],
    ...[
      `--lc-messages-dir=${software.path('/usr/share/mysql')}`,
      '--innodb-flush-log-at-trx-commit=0',
    ],
    ...['--innodb-buffer-pool-size=16M', '--innodb-log-file-size=16M', '--skip-log-bin'],
  ];
  const scripts = await Promise.all(
    SYSTEM_TABLES.map((name) => readFile(software.path(`/usr/share/mysql/${name}`), 'utf8')),
  );
  await runOnce(
    { command, args: [...common, '--bootstrap', '--enforce-storage-engine='], env: software.env },
    [
      'create database if not exists mysql;',
      'use mysql;',
      'set @auth_root_socket=NULL;',
      ...scripts,
      'flush privileges;',
      `create database ${login.database} character set utf8mb4;`,
      `create user '${login.user}'@'%' identified by '${login.password}';`,
      `grant all on *.* to '${login.user}'@'%' with grant option;`,
      '',
    ].join('\n'),
  );
  const tls = identity && [
    `--ssl-cert=${await file('certificate.pem', identity.certificate)}`,
    `--ssl-key=${await file('key.pem', identity.key)}`,
  ];
  const server = await startServer(
    (port) => ({
      command,
      args: [
        ...common,
        ...[`--bind-address=${LOOPBACK}`, `--port=${port}`, `--socket=${join(folder, 'socket')}`],
        ...['--skip-name-resolve', ...(tls ?? [])],
      ],
      env: software.env,
      ready: /ready for connections/,
    }),
    cleanup,
  );
  return { ...server, ...login };
};
