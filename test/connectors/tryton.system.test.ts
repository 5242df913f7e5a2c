import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import tryton from '../../examples/tryton/tryton.js';
import * as api from '../../src/plugin/api.js';
import type { JsonValue, ReadMessage } from '../../src/plugin/api.js';
import { runConnectorContract } from '../../src/plugin/testing.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import {
  findTryton,
  startTrytonServer,
  TRYTON_ADMIN,
  type TrytonServer,
} from '../support/servers/tryton-server.js';
import { ConnectorWorld } from '../support/connector-world.js';
import { recordsOf, startSource } from './start-source.js';

const software = await findTryton();

const cursorOf = (messages: readonly ReadMessage[]): JsonValue => {
  const last = messages.at(-1);
  if (last?.type !== 'complete') throw new Error('The read is not complete.');
  return last.cursor;
};

const date = (text: string) => {
  const [year, month, day] = text.split('-').map(Number);
  return { __class__: 'date', year, month, day };
};

describe.skipIf(!software)('the example tryton, on Tryton 7.0', () => {
  const connector = tryton(api);
  const cleanup = createCleanup();
  let server: TrytonServer;
  let context: { company: number };
  let sources: Awaited<ReturnType<typeof startSource>>[] = [];

  beforeAll(async () => {
    server = await startTrytonServer(software!, cleanup);
    const create = async (model: string, values: object) =>
      ((await server.call(`model.${model}.create`, [values], {})) as [number])[0];
    const rounding = { __class__: 'Decimal', decimal: '0.01' };
    const euro = { name: 'Euro', code: 'EUR', symbol: '€', digits: 2, rounding };
    const currency = await create('currency.currency', euro);
    const party = await create('party.party', { name: 'Acme' });
    context = { company: await create('company.company', { party, currency }) };
  });
  afterEach(async () => {
    for (const source of sources) await source.stop();
    sources = [];
  });
  afterAll(cleanup.run);

  const start = async (more: object = {}) => {
    const { url, database } = server;
    const source = await startSource(connector, { url, database, ...TRYTON_ADMIN, ...more });
    sources.push(source);
    return source;
  };

  const write = (model: string, id: number, values: object) =>
    server.call(`model.${model}.write`, [id], values, context);

  /** Hires an employee; returns the ids of the employee, the party and the e-mail address. */
  const hire = async (name: string, values: object = {}) => {
    const value = `${name.toLowerCase().replace(' ', '.')}@example.com`;
    const contact_mechanisms = [['create', [{ type: 'email', value }]]];
    const [party] = (await server.call(
      'model.party.party.create',
      [{ name, contact_mechanisms }],
      context,
    )) as [number];
    const [employee] = (await server.call(
      'model.company.employee.create',
      [{ party, ...context, ...values }],
      context,
    )) as [number];
    const [{ contact_mechanisms: [email] = [] }] = (await server.call(
      'model.party.party.read',
      [party],
      ['contact_mechanisms'],
      context,
    )) as [{ contact_mechanisms?: [number] }];
    return { id: String(employee), employee, party, email: email! };
  };

  /** What a delta without overlap reads after a change. */
  const afterwards = async (change: () => Promise<unknown>) => {
    const source = await start({ overlap: '0s' });
    const cursor = cursorOf(await source.readAll());
    expect(recordsOf(await source.readAll({ mode: 'delta', cursor })).size).toBe(0);
    await change();
    return recordsOf(await source.readAll({ mode: 'delta', cursor }));
  };

  describe('the contract suite', () => {
    let ada: Awaited<ReturnType<typeof hire>>;
    beforeAll(async () => {
      ada = await hire('Ada Byron');
      await hire('Grace Brewster');
      await hire('Alan Mathison');
    });
    const settings = () => ({ url: server.url, database: server.database, ...TRYTON_ADMIN });
    const rename = (name: string) => write('party.party', ada.party, { name });
    for (const { title, run } of runConnectorContract(connector, {
      settings,
      badSettings: () => ({ ...settings(), password: 'another-password' }),
      change: async () => {
        await rename('Ada King');
        return { changed: [ada.id], undo: () => rename('Ada Byron') };
      },
    }))
      it(title, run);
  });

  it('takes joiners, movers, leavers, future hires and rehires to users', async () => {
    const now = new Date();
    const inDays = (days: number) =>
      date(new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10));
    const world = new ConnectorWorld({}, connector);
    world.now = now;
    world.opened = await start(context);
    const userOf = ({ id }: { readonly id: string }) =>
      world.users().find(({ profile }) => profile.externalId === id);
    const isActive = (person: { readonly id: string }) => userOf(person)?.profile.active;
    const finished = { state: 'done', counts: { failed: 0 } };

    // Joiners, one of them in ten days.
    const katherine = await hire('Katherine Johnson');
    const dorothy = await hire('Dorothy Vaughan', {
      supervisor: katherine.employee,
      start_date: inDays(-100),
    });
    const annie = await hire('Annie Easley', { start_date: inDays(10) });
    expect(await world.run()).toMatchObject(finished);
    expect(userOf(dorothy)?.profile).toMatchObject({
      userName: 'dorothy.vaughan@example.com',
      displayName: 'Dorothy Vaughan',
      active: true,
      enterprise: { manager: { value: userOf(katherine)?.id } },
    });
    expect(userOf(annie)).toBeUndefined();
    const { id } = userOf(dorothy)!;

    // A new name and address.
    await write('party.party', dorothy.party, { name: 'Dorothy Johnson Vaughan' });
    await write('party.contact_mechanism', dorothy.email, { value: 'dorothy@example.com' });
    expect(await world.run('delta')).toMatchObject(finished);
    expect(userOf(dorothy)).toMatchObject({
      id,
      profile: { displayName: 'Dorothy Johnson Vaughan', userName: 'dorothy@example.com' },
    });

    // She leaves, and comes back.
    await write('company.employee', dorothy.employee, { end_date: inDays(-1) });
    expect(await world.run('delta')).toMatchObject(finished);
    expect(isActive(dorothy)).toBe(false);
    await write('company.employee', dorothy.employee, { end_date: null });
    expect(await world.run('delta')).toMatchObject(finished);
    expect(userOf(dorothy)).toMatchObject({ id, profile: { active: true } });

    // The day of the future hire comes, without a question to Tryton.
    world.passDays(11);
    world.opened = undefined;
    expect(await world.run('dates')).toMatchObject(finished);
    expect(isActive(annie)).toBe(true);
  });

  it('reads employees with dates and references', async () => {
    const grace = await hire('Grace Hopper');
    const ada = await hire('Ada Lovelace', {
      start_date: date('2019-04-01'),
      end_date: date('2027-01-31'),
      supervisor: grace.employee,
    });
    const source = await start(context);
    const records = recordsOf(await source.readAll());
    expect(records.get(ada.id)).toMatchObject({
      id: ada.id,
      name: 'Ada Lovelace',
      email: 'ada.lovelace@example.com',
      start_date: '2019-04-01',
      end_date: '2027-01-31',
      supervisor: grace.id,
    });
    expect(records.get(grace.id)).toMatchObject({ start_date: null, supervisor: null });
    for (const record of records.values())
      expect(connector.record.safeParse(record).success).toBe(true);
  });

  it('reads who was hired, moved or left since the last read', async () => {
    const ada = await hire('Ada King');
    await hire('Grace Murray');
    const left = await afterwards(() =>
      write('company.employee', ada.employee, { end_date: date('2026-11-30') }),
    );
    expect([...left]).toMatchObject([[ada.id, { end_date: '2026-11-30' }]]);
    const rehired = await afterwards(() =>
      write('company.employee', ada.employee, { end_date: null }),
    );
    expect([...rehired]).toMatchObject([[ada.id, { end_date: null }]]);
    const hired = await afterwards(() =>
      hire('Edsger Dijkstra', { start_date: date('2027-01-04') }),
    );
    expect([...hired.values()]).toMatchObject([{ start_date: '2027-01-04' }]);
  });

  it('reads a new name, which leaves no trace in the employee', async () => {
    const alan = await hire('Alan Touring');
    const changed = await afterwards(() =>
      write('party.party', alan.party, { name: 'Alan Turing' }),
    );
    expect([...changed]).toMatchObject([[alan.id, { name: 'Alan Turing' }]]);
  });

  it('reads a new e-mail address, which leaves no trace in employee and party', async () => {
    const mary = await hire('Mary Jackson');
    const changed = await afterwards(() =>
      write('party.contact_mechanism', mary.email, { value: 'mary@example.com' }),
    );
    expect([...changed]).toMatchObject([[mary.id, { email: 'mary@example.com' }]]);
  });

  it('goes back by the overlap', async () => {
    const source = await start();
    const whole = await source.readAll();
    const again = await source.readAll({ mode: 'delta', cursor: cursorOf(whole) });
    expect(recordsOf(again)).toEqual(recordsOf(whole));
  });

  it('signs in again once if its session was closed', async () => {
    const source = await start();
    const before = await source.readAll();
    // A new password closes all sessions, even if it is the same.
    const [{ id = 0 } = {}] = (await server.call(
      'model.res.user.search_read',
      ...[[['login', '=', TRYTON_ADMIN.user]], 0, 1, null, ['id'], {}],
    )) as { id?: number }[];
    await write('res.user', id, { password: TRYTON_ADMIN.password });
    expect(await source.readAll()).toEqual(before);
  });

  it('distinguishes a wrong password from a wrong database, and logs neither', async () => {
    const check = async (more: object) => {
      const source = await start(more);
      const result = await source.check(new AbortController().signal);
      expect(JSON.stringify(source.log)).not.toContain('wrong-password');
      return result;
    };
    expect(await check({})).toMatchObject({ ok: true });
    expect(await check({ password: 'wrong-password' })).toMatchObject({ ok: false, kind: 'auth' });
    expect(await check({ database: 'nowhere' })).toMatchObject({ ok: false, kind: 'config' });
  });
});
