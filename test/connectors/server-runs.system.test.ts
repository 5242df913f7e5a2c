import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'ldapts';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import csv from '../../connectors/csv/index.js';
import ldap from '../../connectors/ldap/index.js';
import sql from '../../connectors/sql/index.js';
import type { Connector } from '../../src/plugin/api.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import {
  findSlapd,
  LDAP_ADMIN,
  LDAP_SUFFIX,
  startLdapServer,
} from '../support/servers/ldap-server.js';
import { findPostgres, startPostgres } from '../support/servers/postgres-server.js';
import { ConnectorWorld } from '../support/connector-world.js';
import { startSource } from './start-source.js';

const fixture = (path: string): string =>
  readFileSync(new URL(`../../connectors/${path}`, import.meta.url), 'utf8');

const cleanup = createCleanup();
afterEach(cleanup.run);

/** A source with the fixture, whose default mapping is used, and how one person leaves. */
interface Source {
  readonly connector: Connector;
  readonly settings: Record<string, unknown>;
  readonly leave: () => Promise<unknown>;
  /** The user names that are active before, and who leaves. */
  readonly active: readonly string[];
  readonly leaver: string;
}

const ADA = 'ada.okafor@example.com';
const BJORN = 'bjorn.simic@example.com';
const CHLOE = 'chloe.darc@example.com';

const slapd = await findSlapd();
const postgresql = await findPostgres();

const SOURCES: Readonly<Record<string, (() => Promise<Source>) | undefined>> = {
  csv: async () => {
    const folder = await temporaryFolder('runs', cleanup);
    const text = fixture('csv/fixtures/people.csv');
    const write = (content: string): Promise<void> =>
      writeFile(join(folder, 'people.csv'), content);
    await write(text);
    return {
      connector: csv,
      settings: { folder },
      // Björn's last day.
      leave: () => write(text.replace('2021-08-15,,', '2021-08-15,2026-11-20,')),
      active: [ADA, BJORN, CHLOE],
      leaver: BJORN,
    };
  },
  sql:
    postgresql &&
    (async () => {
      const server = await startPostgres(postgresql, cleanup);
      const admin = postgres({ ...server, host: '127.0.0.1', max: 1, onnotice: () => undefined });
      cleanup.defer(() => admin.end());
      await admin.unsafe(fixture('sql/fixtures/postgresql.sql'));
      const { port, user, password, database } = server;
      const login = { host: '127.0.0.1', port, user, password, database };
      return {
        connector: sql,
        settings: { system: 'postgresql', tls: 'off', view: 'hr_people', ...login },
        leave: () =>
          admin.unsafe("update employee set released = '2026-11-20' where number = 1002"),
        active: [ADA, BJORN, CHLOE],
        leaver: BJORN,
      };
    }),
  ldap:
    slapd &&
    (async () => {
      const server = await startLdapServer(slapd, cleanup, {
        ldif: fixture('ldap/fixtures/people.ldif'),
      });
      const admin = new Client({ url: server.url });
      await admin.bind(LDAP_ADMIN.dn, LDAP_ADMIN.password);
      cleanup.defer(() => admin.unbind());
      const base = `ou=people,${LDAP_SUFFIX}`;
      return {
        connector: ldap,
        settings: {
          ...{ url: server.url, startTls: false, base },
          ...{ bindDn: LDAP_ADMIN.dn, password: LDAP_ADMIN.password },
        },
        leave: () => admin.del(`uid=bjorn,${base}`),
        active: ['ada', 'bjorn', 'chloe', 'daan', 'esi'],
        leaver: 'bjorn',
      };
    }),
};

describe.each(Object.keys(SOURCES))('runs of the connector %s on a real server', (name) => {
  it.skipIf(!SOURCES[name])(
    'create users, change nothing twice, and deactivate leavers',
    async () => {
      const { connector, settings, leave, active, leaver } = await SOURCES[name]!();
      const source = await startSource(connector, settings);
      cleanup.defer(source.stop);
      const world = new ConnectorWorld({}, connector);
      world.opened = source;
      expect(await world.run()).toMatchObject({ state: 'done', counts: { failed: 0 } });
      expect([...world.active()].sort()).toEqual(active);
      const [boss = ''] = active;
      expect(world.user(leaver)?.profile.enterprise?.['manager']).toMatchObject({
        value: world.user(boss)?.id,
      });
      expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 0 } });
      await leave();
      // Who is only missing is deactivated after the second run.
      await world.run();
      await world.run();
      expect([...world.active()].sort()).toEqual(active.filter((user) => user !== leaver));
    },
  );
});
