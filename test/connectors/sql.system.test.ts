import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, ReadMessage, ReadRequest } from '../../src/plugin/api.js';
import { runConnectorContract } from '../../src/plugin/testing.js';
import sql from '../../connectors/sql/index.js';
import { createAuthority } from '../../tools/shared/authority.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import { eventually } from '../support/eventually.js';
import { findMariadb, startMariadb } from '../support/servers/mariadb-server.js';
import { findPostgres, type SqlServer, startPostgres } from '../support/servers/postgres-server.js';
import { only, readAll, sourceHost } from './network-source-host.js';

const found = { postgresql: await findPostgres(), mysql: await findMariadb() };

/** A connection that may do everything. */
interface Admin {
  readonly run: (statement: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const SYSTEMS = {
  postgresql: {
    start: startPostgres,
    connect: (server: SqlServer): Promise<Admin> => {
      const client = postgres({ ...server, host: '127.0.0.1', max: 1, onnotice: () => undefined });
      return Promise.resolve({
        run: (statement: string) => client.unsafe(statement),
        close: () => client.end(),
      });
    },
    reader:
      "create role reader login password 'reader secret'; grant select on hr_people to reader",
    changed: "timestamp with time zone '2026-11-22 10:00:00.123456+00'",
    many: (count: number) =>
      `create table many as select i as id, 'u' || i || '@example.com' as email,
       ${SYSTEMS.postgresql.changed} as updated_at from generate_series(1, ${count}) i`,
    rename: (from: string, to: string) => `alter view ${from} rename to ${to}`,
    slow: 'create view slow as select 1 as id, pg_sleep(3600)::text as pause',
    running: "select pid from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'",
    writes: "create sequence counter; create view writes as select nextval('counter') as id",
    textIds: "create view text_ids as select 'a' || number as id, email from employee",
  },
  mysql: {
    start: startMariadb,
    connect: async (server: SqlServer): Promise<Admin> => {
      const { port, user, password, database } = server;
      const login = { host: '127.0.0.1', port, user, password, database };
      const client = await createConnection({ ...login, multipleStatements: true });
      const run = async (statement: string) => (await client.query(statement))[0];
      return { run, close: () => client.end() };
    },
    reader: "create user reader identified by 'reader secret'; grant select on hr_people to reader",
    changed: "timestamp '2026-11-22 10:00:00.123456'",
    many: (count: number) =>
      `create table many (id bigint, email varchar(50), updated_at datetime(6));
       insert into many select seq, concat('u', seq, '@example.com'), ${SYSTEMS.mysql.changed}
       from seq_1_to_${count}`,
    rename: (from: string, to: string) => `rename table ${from} to ${to}`,
    slow: 'create view slow as select 1 as id, sleep(3600) as pause',
    running: "select id from information_schema.processlist where state = 'User sleep'",
    writes: 'create sequence counter; create view writes as select nextval(counter) as id',
    textIds: "create view text_ids as select concat('a', number) as id, email from employee",
  },
};

const BIG = '9007199254740993';

describe.each(['postgresql', 'mysql'] as const)('the sql connector on %s', (system) => {
  const software = found[system];
  const { start, connect, ...statements } = SYSTEMS[system];
  const fixture = readFileSync(
    new URL(`../../connectors/sql/fixtures/${system}.sql`, import.meta.url),
    'utf8',
  );
  const servers = createCleanup();
  const cleanup = createCleanup();
  afterAll(servers.run);
  afterEach(cleanup.run);

  describe.skipIf(!software)('with a server', () => {
    let server: SqlServer;
    let admin: Admin;
    beforeAll(async () => {
      if (!software) return;
      server = await start(software, servers);
      admin = await connect(server);
      servers.defer(admin.close);
      await admin.run(fixture);
      await admin.run(statements.reader);
      await admin.run(statements.many(1_000));
      await admin.run(statements.slow);
      await admin.run(statements.writes);
      await admin.run(statements.textIds);
      await admin.run('create view twice as select 7 as id union all select 7 union all select 8');
      await admin.run('create view no_ids as select manager as id, email from employee');
      await admin.run(
        'create view no_rows as select number as id, changed as updated_at from employee where number < 0',
      );
    });

    const settingsOf = (settings: object = {}) => ({
      ...{ system, host: '127.0.0.1', port: server.port, tls: 'off', database: server.database },
      ...{ user: server.user, password: server.password, view: 'hr_people' },
      ...settings,
    });
    const hostOf = (settings: object = {}) => sourceHost(sql, settingsOf(settings));
    const read = (settings: object = {}, request: Partial<ReadRequest> = {}) =>
      readAll(sql, hostOf(settings), request);
    const recordsOf = (messages: readonly ReadMessage[]): readonly JsonObject[] =>
      only('record', messages).map(({ data }) => data);
    const idsOf = (messages: readonly ReadMessage[]): string[] =>
      only('record', messages).map(({ id }) => id);
    const cursorOf = (messages: readonly ReadMessage[]) =>
      only('complete', messages)[0]?.cursor ?? null;

    const faultOf = async (settings: object, request: Partial<ReadRequest> = {}) => {
      const messages: ReadMessage[] = [];
      const host = hostOf(settings);
      const fault: unknown = await readAll(sql, host, request, messages).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(only('complete', messages)).toEqual([]);
      expect(host.logged.join()).not.toContain(server.password);
      expect(host.sockets.every(({ destroyed }) => destroyed)).toBe(true);
      return fault as { readonly kind?: string; readonly message?: string };
    };

    describe('the contract', () => {
      const cases = runConnectorContract(sql, {
        settings: () => settingsOf(),
        badSettings: () => settingsOf({ password: 'not the password' }),
        ids: ['1001', '1002', '1003', '1004', '1005'],
        breakages: {
          'another column': async () => {
            await admin.run(statements.rename('hr_people', 'kept'));
            await admin.run('create view hr_people as select number as nr from employee');
            return async () => {
              await admin.run('drop view hr_people');
              await admin.run(statements.rename('kept', 'hr_people'));
            };
          },
          'a view that is gone': async () => {
            await admin.run(statements.rename('hr_people', 'kept'));
            return () => admin.run(statements.rename('kept', 'hr_people'));
          },
        },
        change: async () => {
          const now = system === 'mysql' ? 'now(6)' : 'clock_timestamp()';
          await admin.run(
            `update employee set email = 'x@example.com', changed = ${now} where number = 1005`,
          );
          return {
            changed: ['1005'],
            undo: () =>
              admin.run("update employee set email = 'esi.mensah@example.com' where number = 1005"),
          };
        },
      });
      for (const { title, run } of cases) it(title, run);
    });

    it('reads the people of its fixture, with dates as they are written', async () => {
      const messages = await read();
      expect(idsOf(messages)).toEqual(['1001', '1002', '1003', '1004', '1005']);
      expect(recordsOf(messages)[2]).toEqual({
        id: '1003',
        email: 'chloe.darc@example.com',
        first_name: 'Chloé',
        last_name: `d'Arc`,
        department: 'Fleet',
        manager_id: '1002',
        start_date: '2022-01-10',
        end_date: '2026-12-31',
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/) as string,
      });
      expect(only('complete', messages)[0]?.total).toBe(5);
      for (const record of recordsOf(messages)) sql.record.parse(record);
    });

    it('reads the same twice', async () => {
      expect(recordsOf(await read())).toEqual(recordsOf(await read()));
    });

    it('signs in as a user who may read nothing else', async () => {
      const reader = { user: 'reader', password: 'reader secret' };
      expect(idsOf(await read(reader))).toHaveLength(5);
      expect(await faultOf({ ...reader, view: 'many' })).toMatchObject({
        kind: expect.stringMatching(/permission|config/) as string,
      });
    });

    it.each([1, 7, 100, 1_000, 1_001])('reads everybody in pages of %i', async (pageSize) => {
      const messages = await read({ view: 'many' }, { pageSize });
      expect(new Set(idsOf(messages)).size).toBe(1_000);
      expect(idsOf(messages)).toHaveLength(1_000);
    });

    it('continues after each checkpoint, in full reads and deltas', async () => {
      const changed = '2026-11-22 10:00:00.123456';
      for (const request of [
        { mode: 'full', cursor: null },
        { mode: 'delta', cursor: { since: changed } },
      ] as const) {
        const whole = await read({ view: 'many' }, { ...request, pageSize: 300 });
        expect(new Set(idsOf(whole)).size).toBe(1_000);
        const checkpoints = only('checkpoint', whole);
        expect(checkpoints).toHaveLength(3);
        for (const { cursor } of checkpoints) {
          const at = whole.findIndex((m) => m.type === 'checkpoint' && m.cursor === cursor);
          const resumed = { ...request, pageSize: 300, isResumed: true, cursor };
          const rest = await read({ view: 'many' }, resumed);
          expect(idsOf(rest)).toEqual(idsOf(whole.slice(at + 1)));
          expect(cursorOf(rest)).toEqual(cursorOf(whole));
        }
      }
    });

    it('distinguishes changes by their microseconds', async () => {
      const cursor = { since: '2026-11-22 10:05:00.123456' };
      const later = { since: '2026-11-22 10:05:00.123457' };
      expect(idsOf(await read({ view: 'many' }, { mode: 'delta', cursor }))).toHaveLength(1_000);
      expect(idsOf(await read({ view: 'many' }, { mode: 'delta', cursor: later }))).toEqual([]);
    });

    it('distinguishes large ids', async () => {
      const next = String(BigInt(BIG) + 1n);
      await admin.run(
        `create table large (id bigint); insert into large values (${BIG}), (${next})`,
      );
      const messages = await read({ view: 'large', updatedAt: null }, { pageSize: 1 });
      expect(idsOf(messages)).toEqual([BIG, next]);
    });

    it('reads what changed since the last read, with an overlap', async () => {
      const cursor = cursorOf(await read()) as { readonly since: string };
      expect(cursor.since).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/);
      expect(idsOf(await read({}, { mode: 'delta', cursor }))).toHaveLength(5);
      await admin.run("update employee set changed = '2026-01-01 00:00:00' where number < 1005");
      const messages = await read({}, { mode: 'delta', cursor });
      expect(idsOf(messages)).toEqual(['1005']);
      expect(cursorOf(messages)).toEqual(cursor);
    });

    it('does not follow a time in the future', async () => {
      await admin.run("update employee set changed = '2037-01-01 00:00:00' where number = 1004");
      const { since } = cursorOf(await read()) as { readonly since: string };
      expect(since < '2037').toBe(true);
      await admin.run("update employee set changed = '2026-01-01 00:00:00' where number = 1004");
    });

    it('starts from the beginning if its cursor is of no use', async () => {
      expect(idsOf(await read({}, { mode: 'delta', cursor: 'x' }))).toHaveLength(5);
    });

    it('reads only the requested people', async () => {
      const messages = await read({}, { ids: ['1002', '9999', "no' number"] });
      expect(idsOf(messages)).toEqual(['1002']);
      expect(messages.at(-1)).toEqual({ type: 'complete', cursor: null });
      expect(idsOf(await read({ view: 'text_ids', updatedAt: null }, { ids: ['a1003'] }))).toEqual([
        'a1003',
      ]);
    });

    it('reads some columns, ids as text, and an empty view', async () => {
      const settings = { view: 'text_ids', updatedAt: null, columns: ['id'] };
      expect(recordsOf(await read(settings, { pageSize: 2 }))).toEqual(
        [1, 2, 3, 4, 5].map((at) => ({ id: `a100${at}` })),
      );
      expect(only('complete', await read({ view: 'no_rows' }))[0]?.total).toBe(0);
    });

    it('sees one state of the data in all pages', async () => {
      const running = await sql.start(hostOf({ view: 'many' }));
      const { signal } = new AbortController();
      const ids: string[] = [];
      const request = {
        mode: 'full',
        cursor: null,
        isResumed: false,
        pageSize: 100,
        signal,
      } as const;
      for await (const message of running.read(request)) {
        if (message.type !== 'record') continue;
        ids.push(message.id);
        if (ids.length === 50) await admin.run('delete from many where id > 900');
      }
      expect(ids).toHaveLength(1_000);
      expect(idsOf(await read({ view: 'many' }))).toHaveLength(900);
    });

    it.each([
      ['an unknown view', { view: 'nowhere' }, 'config', 'There is no view nowhere'],
      ['an unknown id', { id: 'nr' }, 'schema', 'lacks a column'],
      ['an unknown time of change', { updatedAt: 'changed_at' }, 'schema', 'lacks a column'],
      ['an unknown column', { columns: ['id', 'mail'] }, 'schema', 'lacks a column'],
      ['a time of change that is none', { updatedAt: 'email' }, 'schema', 'is no timestamp'],
      ['a wrong password', { password: 'wrong' }, 'auth', 'Check the user and the password'],
      ['an unknown database', { database: 'nowhere' }, 'config', 'has no database nowhere'],
      ['a server without TLS', { tls: 'required', host: 'localhost' }, 'config', 'encrypt'],
    ])('says what to do about %s', async (_name, settings, kind, message) => {
      const running = await sql.start(hostOf(settings));
      const result = await running.check(new AbortController().signal);
      expect(result).toMatchObject({ ok: false, kind });
      expect(result.message).toContain(message);
      expect(await faultOf(settings)).toMatchObject({ kind });
    });

    it.each([
      ['two rows of one person', { view: 'twice' }, 'schema', 'more than one row with the id 7'],
      ['a row without an id', { view: 'no_ids' }, 'schema', 'has rows without id'],
      [
        'a statement that takes too long',
        { view: 'slow', statementTimeout: '1s' },
        'network',
        'longer than `statementTimeout`',
      ],
      ['a view that writes', { view: 'writes' }, 'config', 'only reads'],
    ])('refuses %s', async (_name, settings, kind, message) => {
      for (const pageSize of [1, 100]) {
        const fault = await faultOf({ updatedAt: null, ...settings }, { pageSize });
        expect(fault).toMatchObject({ kind });
        expect(fault.message).toContain(message);
      }
    });

    it('is never complete if the connection breaks', async () => {
      const host = hostOf({ view: 'many' });
      const running = await sql.start(host);
      const { signal } = new AbortController();
      const messages: ReadMessage[] = [];
      const reading = async (): Promise<void> => {
        const request = {
          mode: 'full',
          cursor: null,
          isResumed: false,
          pageSize: 20,
          signal,
        } as const;
        for await (const message of running.read(request)) {
          messages.push(message);
          if (messages.length === 30) for (const socket of host.sockets) socket.destroy();
        }
      };
      await expect(reading()).rejects.toMatchObject({ kind: 'network' });
      expect(only('complete', messages)).toEqual([]);
      expect(host.sockets).toHaveLength(1);
    });

    it('ends if it is aborted while its query runs, before the server responds', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const running = await sql.start(hostOf({ view: 'slow', updatedAt: null }));
      const messages = running.read({
        mode: 'full',
        cursor: null,
        isResumed: false,
        pageSize: 1,
        signal,
      });
      const reading = messages[Symbol.asyncIterator]().next();
      await eventually(async () => expect(await admin.run(statements.running)).toHaveLength(1));
      controller.abort(new Error('The run has ended.'));
      await expect(reading).rejects.toThrow('The run has ended.');
    });

    it('explains columns to an operator', async () => {
      const running = await sql.start(hostOf());
      const { signal } = new AbortController();
      expect(await running.check(signal)).toMatchObject({
        ok: true,
        message: expect.stringContaining('9 columns; deltas by updated_at') as string,
      });
      expect(await running.discover?.(signal)).toContainEqual({ path: 'email', type: 'text' });
    });

    it('verifies the certificate of an encrypted connection', async () => {
      if (!software) return;
      const authority = await createAuthority();
      const ca = join(await temporaryFolder('ca', cleanup), 'ca.pem');
      await writeFile(ca, authority.certificate);
      const encrypted = await start(software, cleanup, await authority.issue(['localhost']));
      const other = await connect(encrypted);
      cleanup.defer(other.close);
      await other.run('create table hr_people (id int)');
      const { port } = encrypted;
      const settings = { host: 'localhost', port, tls: 'required', updatedAt: null };
      expect(idsOf(await read({ ...settings, ca }))).toEqual([]);
      expect(await faultOf(settings)).toMatchObject({
        kind: 'config',
        message: expect.stringContaining('is not trusted') as string,
      });
    });
  });
});
