import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, Change, Client as LdapClient } from 'ldapts';
import { createConnection } from 'mysql2/promise';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectors as plugin } from '../../plugins/connectors/index.js';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import { defineConnectorRunner } from '../../src/plugin/connectors-api.js';
import { builtInPlugins } from '../../src/start/load-extensions.js';
import { type Cleanup, createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import * as slapd from '../support/servers/ldap-server.js';
import { findMariadb, startMariadb } from '../support/servers/mariadb-server.js';
import { findPostgres, startPostgres } from '../support/servers/postgres-server.js';
import { findSshd, startSftpServer } from '../support/servers/sftp-server.js';
import { findTryton, startTrytonServer, TRYTON_ADMIN } from '../support/servers/tryton-server.js';
import { eventually } from '../support/eventually.js';
import { type Client, TestGateway, useReceiver } from '../support/gateway.js';

const DAY_MS = 86_400_000;
const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const DEPARTMENTS = { Dispatch: 'Dispatch', Fleet: 'Fleet' } as const;
type Department = keyof typeof DEPARTMENTS;

interface Employee {
  readonly id: number;
  readonly email: string;
  readonly lastName: string;
  readonly department: Department;
  readonly start: string;
  /** The last day. */
  readonly end: string | null;
}

/** A system with employees, and the section of the configuration that reads them. */
interface HrSystem {
  readonly section: {
    readonly use: string;
    readonly settings: object;
    readonly [more: string]: unknown;
  };
  /** Hires an employee, or changes their data. */
  readonly save: (employee: Employee) => Promise<unknown>;
}

/** A room for each department, and a role for one of them. */
const groupsBy = (
  path: string,
  { Dispatch, Fleet }: Record<Department, string | number> = DEPARTMENTS,
) => [
  { path, map: { [Dispatch]: 'Dispatch', [Fleet]: 'Fleet' } },
  { when: { path, in: [String(Fleet)] }, group: 'Drivers' },
];

const PASSWORD = 'HR_PASSWORD';
const password = { env: PASSWORD };
let secret = '';

/** Everybody in one file, which is written again for each change. */
const csvIn = (folder: string): HrSystem['save'] => {
  const rows = new Map<number, string>();
  return async ({ id, email, lastName, department, start, end }) => {
    rows.set(id, [id, email, lastName, department, start, end ?? ''].join());
    const lines = ['employeeId,email,lastName,department,startDate,endDate', ...rows.values()];
    await writeFile(join(folder, 'people.csv'), `${lines.join('\n')}\n`, { mode: 0o666 });
  };
};

const TABLE = `create table people (id bigint primary key, email varchar(200), last_name varchar(100),
  department varchar(100), start_date date, end_date date)`;

const rowOf = ({ id, email, lastName, department, start, end }: Employee): string =>
  [id, email, lastName, department, start, end]
    .map((value) => (value === null ? 'null' : `'${value}'`))
    .join();

const sqlSection = (system: 'postgresql' | 'mysql', login: { readonly password: string }) => {
  secret = login.password;
  const { port, user, database } = login as typeof login & Record<string, unknown>;
  const server = { system, host: '127.0.0.1', port, user, password, database, tls: 'off' };
  return { use: 'sql', settings: { ...server, view: 'people', updatedAt: null } };
};

const [sshd, slapdSoftware, postgresql, mariadb, tryton] = [
  await findSshd(),
  await slapd.findSlapd(),
  await findPostgres(),
  await findMariadb(),
  await findTryton(),
];

const SYSTEMS: Readonly<
  Record<string, false | undefined | ((cleanup: Cleanup) => Promise<HrSystem>)>
> = {
  'csv files in a folder': async (cleanup) => {
    const folder = await temporaryFolder('hr', cleanup);
    return {
      section: { use: 'csv', settings: { folder, ready: 'renamed' } },
      save: csvIn(folder),
    };
  },

  'csv files on OpenSSH':
    sshd &&
    (async (cleanup) => {
      const { folder, port, user, fingerprint, ...server } = await startSftpServer(sshd, cleanup);
      spawnSync('chmod', ['777', folder]);
      secret = server.password;
      const sftp = { host: '127.0.0.1', port, user, password, fingerprint };
      return {
        section: { use: 'csv', settings: { sftp, ready: 'renamed' } },
        save: csvIn(folder),
      };
    }),

  PostgreSQL:
    postgresql &&
    (async (cleanup) => {
      const server = await startPostgres(postgresql, cleanup);
      const admin = postgres({ ...server, host: '127.0.0.1', max: 1 });
      cleanup.defer(() => admin.end());
      await admin.unsafe(TABLE);
      return {
        section: sqlSection('postgresql', server),
        save: (employee) =>
          admin.unsafe(
            `delete from people where id = ${employee.id}; insert into people values (${rowOf(employee)})`,
          ),
      };
    }),

  MariaDB:
    mariadb &&
    (async (cleanup) => {
      const server = await startMariadb(mariadb, cleanup);
      const { port, user, database } = server;
      const login = { host: '127.0.0.1', port, user, password: server.password, database };
      const admin = await createConnection(login);
      cleanup.defer(() => admin.end());
      await admin.query(TABLE);
      return {
        section: sqlSection('mysql', server),
        save: (employee) => admin.query(`replace into people values (${rowOf(employee)})`),
      };
    }),

  OpenLDAP:
    slapdSoftware &&
    (async (cleanup) => {
      const { LDAP_ADMIN, LDAP_SUFFIX } = slapd;
      const ldif = `dn: ${LDAP_SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n`;
      const { url } = await slapd.startLdapServer(slapdSoftware, cleanup, { ldif });
      const admin = new LdapClient({ url });
      await admin.bind(LDAP_ADMIN.dn, LDAP_ADMIN.password);
      cleanup.defer(() => admin.unbind());
      secret = LDAP_ADMIN.password;
      const known = new Set<number>();
      return {
        section: {
          use: 'ldap',
          settings: { url, startTls: false, base: LDAP_SUFFIX, bindDn: LDAP_ADMIN.dn, password },
          groups: groupsBy('ou'),
          // Entries have no first day of their own, and who leaves is deleted.
          lifecycle: { start: 'employeeType', missingRuns: 1 },
        },
        save: async ({ id, email, lastName, department, start, end }) => {
          const dn = `uid=u${id},${LDAP_SUFFIX}`;
          if (end !== null) {
            known.delete(id);
            return admin.del(dn);
          }
          const values = {
            cn: lastName,
            sn: lastName,
            mail: email,
            ou: department,
            employeeType: start,
          };
          if (!known.has(id)) {
            known.add(id);
            return admin.add(dn, { objectClass: 'inetOrgPerson', ...values });
          }
          return admin.modify(
            dn,
            Object.entries(values).map(
              ([type, value]) =>
                new Change({
                  operation: 'replace',
                  modification: new Attribute({ type, values: [value] }),
                }),
            ),
          );
        },
      };
    }),

  Tryton:
    tryton &&
    (async (cleanup) => {
      const server = await startTrytonServer(tryton, cleanup);
      const { url, database } = server;
      const create = async (model: string, values: object, context: object = {}) =>
        ((await server.call(`model.${model}.create`, [values], context)) as [number])[0];
      const write = (model: string, id: number, values: object) =>
        server.call(`model.${model}.write`, [id], values, { company });
      const rounding = { __class__: 'Decimal', decimal: '0.01' };
      const euro = { name: 'Euro', code: 'EUR', symbol: '€', digits: 2, rounding };
      const currency = await create('currency.currency', euro);
      const party = await create('party.party', { name: 'Acme' });
      const company = await create('company.company', { party, currency });
      const dateOf = (text: string | null) => {
        const [year, month, day] = (text ?? '').split('-').map(Number);
        return text === null ? null : { __class__: 'date', year, month, day };
      };
      const known = new Map<number, { employee: number; person: number; contact: number }>();
      const add = async (name: string, email: string, more: object = {}) => {
        const person = await create('party.party', { name }, { company });
        const contact = await create(
          'party.contact_mechanism',
          { party: person, type: 'email', value: email },
          { company },
        );
        const values = { party: person, company, ...more };
        return { employee: await create('company.employee', values, { company }), person, contact };
      };
      // It has no departments, but supervisors.
      const heads = {
        Dispatch: (await add('Head of Dispatch', 'dispatch@example.com')).employee,
        Fleet: (await add('Head of Fleet', 'fleet@example.com')).employee,
      };
      secret = TRYTON_ADMIN.password;
      return {
        section: {
          use: join(import.meta.dirname, '../../examples/tryton/tryton.js'),
          settings: { url, database, user: TRYTON_ADMIN.user, password, company },
          groups: groupsBy('supervisor', heads),
        },
        save: async ({ id, email, lastName, department, start, end }) => {
          const values = {
            supervisor: heads[department],
            start_date: dateOf(start),
            end_date: dateOf(end),
          };
          const found = known.get(id);
          if (!found) return known.set(id, await add(lastName, email, values));
          await write('party.party', found.person, { name: lastName });
          await write('party.contact_mechanism', found.contact, { value: email });
          return write('company.employee', found.employee, values);
        },
      };
    }),
};

const webhooks = useReceiver();
beforeAll(webhooks.open);
/** On the machine's clock, which the test moves; else it is the database's. */
const connectors = defineConnectorRunner({
  ...plugin,
  start: (host) => plugin.start({ ...host, now: () => new Date() }),
});
const others = (await builtInPlugins()).filter(({ name }) => name !== 'connectors');

describe.each(Object.keys(SYSTEMS))('people in %s', (name) => {
  const startSystem = SYSTEMS[name];
  const cleanup = createCleanup();
  let config = '';
  const gateway = TestGateway.use(
    () => ({ ...webhooks.env(), ROLLGATE_CONFIG: config, [PASSWORD]: secret }),
    { builtIns: [...others, connectors] },
  );
  afterEach(() => void vi.useRealTimers());
  afterAll(cleanup.run);

  it.skipIf(!startSystem)('reach users, rooms, events and webhooks', async () => {
    if (!startSystem) return;
    const { section, save } = await startSystem(cleanup);
    config = join(await temporaryFolder('hr-config', cleanup), 'rollgate.yaml');
    const hr = {
      groups: groupsBy('department'),
      ...section,
      tenant: 'tenant-1',
      allow: ['127.0.0.0/8'],
    };
    await writeFile(config, JSON.stringify({ connectors: { hr } }));
    const { native } = await gateway.tenant({ room_provisioning: 'automatic' });
    const operator = await gateway.operator();
    const base = '/tenants/tenant-1';
    await operator('POST', `${base}/role-mappings`, {
      group_display_name: 'Drivers',
      role: 'lead',
    });
    await native('POST', '/webhooks', {
      url: `${webhooks.receiver().url}/${encodeURIComponent(name)}`,
      events: ['*'],
    });
    const run = async () => {
      const { body } = await eventually(async () => {
        const started = await operator<RunView>('POST', `${base}/connectors/hr/runs`, {});
        // The daily look at dates may be in progress.
        expect(started).toMatchObject({ status: 201 });
        return started;
      });
      const { body: ended } = await eventually(async () => {
        const shown = await operator<RunView>('GET', `${base}/connectors/hr/runs/${body.id}`);
        expect(['done', 'held', 'failed']).toContain(shown.body.state);
        return shown;
      });
      expect(ended).toMatchObject({ state: 'done', message: null, failed: 0 });
    };

    const since = dayFromNow(-300);
    const ada: Employee = {
      id: 1,
      email: 'ada@example.com',
      lastName: 'Okafor',
      department: 'Dispatch',
      start: since,
      end: null,
    };
    const bo: Employee = { ...ada, id: 2, email: 'bo@example.com', lastName: 'Lee' };
    const cy: Employee = {
      ...ada,
      id: 3,
      email: 'cy@example.com',
      lastName: 'Ito',
      department: 'Fleet',
      start: dayFromNow(3),
    };

    // Joiners, one of them in three days.
    for (const joiner of [ada, bo, cy]) await save(joiner);
    await run();
    const joined = await userOf(native, ada);
    expect(joined).toMatchObject({ active: true, role: 'member', rooms: ['Dispatch'] });
    const { id } = (await userOf(native, bo))!;
    expect(await userOf(native, cy)).toBeUndefined();

    // A mover, and a new name with a new address.
    await save({ ...ada, department: 'Fleet' });
    const married = { ...bo, lastName: 'Lee-Ito', email: 'bo.ito@example.com' };
    await save(married);
    await run();
    expect(await userOf(native, ada)).toMatchObject({
      id: joined!.id,
      role: 'lead',
      rooms: ['Fleet'],
    });
    expect(await userOf(native, bo)).toBeUndefined();
    const renamed = await userOf(native, married);
    expect(renamed).toMatchObject({ id, active: true, rooms: ['Dispatch'] });
    expect(renamed!.display_name).toContain('Lee-Ito');

    // A leaver, who is hired again.
    await save({ ...married, end: dayFromNow(-1) });
    await run();
    expect(await userOf(native, married)).toMatchObject({ id, active: false });
    await save(married);
    await run();
    expect(await userOf(native, married)).toMatchObject({ id, active: true, rooms: ['Dispatch'] });

    // The first day comes, without a request.
    const now = Date.now() + 4 * DAY_MS;
    vi.useFakeTimers({ toFake: ['Date'], now, shouldAdvanceTime: true });
    await eventually(async () => {
      expect(await userOf(native, cy)).toMatchObject({
        active: true,
        role: 'lead',
        rooms: ['Fleet'],
      });
    });

    // The receiver has every event.
    const { body } = await native<{ events: readonly { seq: number; event: string }[] }>(
      'GET',
      '/events?limit=200',
    );
    expect(new Set(body.events.map(({ event }) => event))).toEqual(
      new Set([
        ...['user.created', 'user.updated', 'user.deactivated', 'user.reactivated'],
        ...['group.created', 'group.member_added', 'room.member_added', 'room.member_removed'],
      ]),
    );
    await eventually(() => {
      const received = webhooks
        .receiver()
        .requests.filter(({ path }) => path === `/${encodeURIComponent(name)}`)
        .map(({ json }) => (json as { seq: number }).seq);
      expect(new Set(received)).toEqual(new Set(body.events.map(({ seq }) => seq)));
    });
  });
});

/** The user with this address, and the names of their rooms. */
const userOf = async (native: Client, { email }: Employee) => {
  const { body } = await native<{ users: readonly { id: string; display_name: string }[] }>(
    'GET',
    `/users?email=${email}`,
  );
  const [user] = body.users;
  if (!user) return undefined;
  const rooms: string[] = [];
  const listed = await native<{ rooms: readonly { id: string; name: string }[] }>('GET', '/rooms');
  for (const room of listed.body.rooms) {
    const found = await native<{ members: readonly { user_id: string }[] }>(
      'GET',
      `/rooms/${room.id}/members`,
    );
    if (found.body.members.some((member) => member.user_id === user.id)) rooms.push(room.name);
  }
  return { ...user, rooms };
};
