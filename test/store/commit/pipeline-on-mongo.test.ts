import type { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandOf } from '../../../src/domain/commands.js';
import type { TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { StoreUnavailable } from '../../../src/pipeline/commit-store.js';
import { newId, type Outcome } from '../../../src/pipeline/submit.js';
import { aProfile } from '../../support/builders.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();
let core: PipelineInstance;

beforeAll(async () => {
  core = new PipelineInstance(await database.open());
});

const create = (name: string): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com` }),
});

const codeOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : outcome.refusal.code);

const countByCode = (outcomes: readonly Outcome[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const code of outcomes.map(codeOf)) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};

const stateOf = (tenant: Tenant) => core.collections.tenantState.findOne({ _id: tenant.id });
const eventsOf = (tenant: Tenant) =>
  core.collections.database
    .collection('events')
    .find({ tenant: tenant.id })
    .sort({ seq: 1 })
    .toArray();

describe('commands of one tenant', () => {
  it('keep seats exact and the event log gapless with two instances', async () => {
    const other = new PipelineInstance(await database.open());
    const tenant = await core.createTenant({ seatCapacity: 10 });
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (at % 2 === 0 ? core : other).submit(tenant.id, create(`two${at}`)),
      ),
    );
    expect(countByCode(outcomes)).toEqual({ ok: 10, SEAT_CAPACITY_REACHED: 20 });
    const events = await eventsOf(tenant);
    expect(events.map(({ seq }) => seq as number)).toEqual(
      Array.from({ length: 10 }, (_, at) => at + 1),
    );
  });

  it('create one user with the same e-mail address', async () => {
    const tenant = await core.createTenant();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        core.submit(tenant.id, create(at % 2 === 0 ? 'Same' : 'sAME')),
      ),
    );
    expect(countByCode(outcomes)).toEqual({ ok: 1, EMAIL_TAKEN: 19 });
  });

  it('lose none of 25 concurrent updates', async () => {
    const tenant = await core.createTenant();
    const user = create('counted');
    await core.submit(tenant.id, user);
    await Promise.all(
      Array.from({ length: 25 }, (_, at) =>
        core.submit(tenant.id, {
          type: 'user.update',
          userId: user.userId,
          displayName: `name ${at}`,
        }),
      ),
    );
    const [stored] = await core.collections.users.find({ tenant: tenant.id }).toArray();
    expect(stored?.v).toBe(26);
  });

  it('may swap keys within one batch', async () => {
    const tenant = await core.createTenant();
    const [one, two] = [create('one'), create('two')];
    await Promise.all([core.submit(tenant.id, one), core.submit(tenant.id, two)]);
    const rename = (user: CommandOf<'user.create'>, name: string) =>
      core.submit(tenant.id, {
        type: 'user.replace',
        userId: user.userId,
        profile: aProfile({ userName: `${name}@example.com` }),
      });
    const outcomes = await Promise.all([
      core.submit(tenant.id, create('first of the lane')),
      rename(two, 'three'),
      rename(one, 'two'),
    ]);
    expect(countByCode(outcomes)).toEqual({ ok: 3 });
    const names = await core.collections.users.find({ tenant: tenant.id }).sort({ n: 1 }).toArray();
    expect(names.map(({ profile }) => profile.userName).sort()).toEqual([
      'first of the lane@example.com',
      'three@example.com',
      'two@example.com',
    ]);
  });

  it('can reuse the keys of a deleted user, also in the same batch', async () => {
    const tenant = await core.createTenant({ seatCapacity: 1 });
    const first = create('reused');
    await core.submit(tenant.id, first);
    const outcomes = await Promise.all([
      core.submit(tenant.id, { type: 'user.delete', userId: first.userId }),
      core.submit(tenant.id, create('reused')),
    ]);
    expect(countByCode(outcomes)).toEqual({ ok: 2 });
    expect(await core.collections.deletedUsers.countDocuments({ tenant: tenant.id })).toBe(1);
    expect((await eventsOf(tenant)).map(({ name }) => name as string)).toEqual([
      'user.created',
      'user.deactivated',
      'user.deleted',
      'user.created',
    ]);
  });
});

describe('an Idempotency-Key', () => {
  const asking = (instance: PipelineInstance, tenant: Tenant, fingerprint = 'body') => ({
    tenantId: tenant.id,
    actor: { kind: 'operator', name: 'test' } as const,
    source: 'rest' as const,
    requestId: 'request-1',
    idempotency: { id: `key of ${tenant.id}`, fingerprint },
    submit: (name: string) => {
      const { submit: _submit, ...rest } = asking(instance, tenant, fingerprint);
      return instance.pipeline.submit<'user.create'>({ ...rest, command: create(name) });
    },
  });

  it('has one effect and one response for concurrent requests to two instances', async () => {
    const other = new PipelineInstance(await database.open());
    const tenant = await core.createTenant();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        asking(at % 2 === 0 ? core : other, tenant).submit('idempotent'),
      ),
    );
    const ids = outcomes.map((outcome) => (outcome.ok ? outcome.result.id : 'refused'));
    expect(new Set(ids).size).toBe(1);
    expect(await core.collections.users.countDocuments({ tenant: tenant.id })).toBe(1);
    expect(await eventsOf(tenant)).toHaveLength(1);
  });

  it('returns the first response unchanged, including dates', async () => {
    const another = await core.createTenant();
    const first = await asking(core, another).submit('dated');
    const second = await asking(core, another).submit('dated');
    expect(second).toMatchObject({ ...first, changed: false });
  });
});

describe('several instances on one tenant', () => {
  it('preview a command as of the last commit of any of them', async () => {
    // Given a tenant without free seats, in memory here
    const other = new PipelineInstance(await database.open());
    const tenant = await core.createTenant({ seatCapacity: 1 });
    await core.submit(tenant.id, create('only'));
    const preview = () =>
      core.pipeline.preview({
        tenantId: tenant.id,
        command: create('next'),
        actor: { kind: 'operator', name: 'test' },
        source: 'admin',
        requestId: 'request-1',
      });
    expect(codeOf((await preview()).outcome)).toBe('SEAT_CAPACITY_REACHED');
    // When the other instance raises the capacity
    await other.submit(tenant.id, { type: 'tenant.update', seatCapacity: 2 });
    // Then
    const { outcome, seats } = await preview();
    expect(codeOf(outcome)).toBe('ok');
    expect(seats).toEqual({ capacity: 2, before: 1, after: 2 });
  });

  it('let a large batch commit while another instance commits constantly', async () => {
    const busy = new PipelineInstance(await database.open());
    const tenant = await core.createTenant();
    let isDone = false;
    let others = 0;
    const competing = (async () => {
      while (!isDone) {
        await busy.submit(tenant.id, create(`other${others}`));
        others += 1;
      }
    })();
    const large = Array.from({ length: 400 }, (_, at) => create(`large${at}`));
    const outcomes = await Promise.all(large.map((command) => core.submit(tenant.id, command)));
    isDone = true;
    await competing;
    expect(countByCode(outcomes)).toEqual({ ok: 400 });
    const events = await eventsOf(tenant);
    expect(events.map(({ seq }) => seq as number)).toEqual(events.map((_, at) => at + 1));
    expect(await stateOf(tenant)).toMatchObject({ userCount: 400 + others });
  });
});

describe('tenants', () => {
  it('are created once per slug by concurrent requests', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        core.submit(newId<TenantId>(), {
          type: 'tenant.create',
          slug: 'contended',
          name: 'x',
          seatCapacity: null,
          defaultRole: 'member',
          roomProvisioning: 'manual',
        }),
      ),
    );
    expect(countByCode(outcomes)).toEqual({ ok: 1, SLUG_TAKEN: 7 });
  });

  it('accept no command once deleted, and free their slug', async () => {
    const tenant = await core.createTenant({ slug: 'short-lived' });
    expect(codeOf(await core.submit(tenant.id, { type: 'tenant.delete' }))).toBe('ok');
    expect(codeOf(await core.submit(tenant.id, create('late')))).toBe('TENANT_NOT_FOUND');
    await core.createTenant({ slug: 'short-lived' });
  });
});

describe('a commit whose response was lost', () => {
  const losing = (times: number) => {
    let left = times;
    return async (): Promise<PipelineInstance> =>
      new PipelineInstance(await database.open(), {
        wrap: (store) => ({
          ...store,
          commit: async (plan) => {
            await store.commit(plan);
            if (
              plan.changes.some(({ table }) => table === 'tenant') &&
              left > 0 &&
              plan.version.v > 0
            ) {
              left -= 1;
              throw new StoreUnavailable('unknown');
            }
          },
        }),
      });
  };

  it('is recovered by the ids of its commands', async () => {
    const forgetful = await losing(1)();
    const tenant = await forgetful.createTenant();
    const outcome = await forgetful.submit(tenant.id, create('once'));
    expect(outcome).toMatchObject({ ok: true, result: { email: 'once@example.com' } });
    expect(await core.collections.users.countDocuments({ tenant: tenant.id })).toBe(1);
    expect(await eventsOf(tenant)).toHaveLength(1);
  });

  it('returns 503 if another instance has undone it since', async () => {
    const command = create('undone');
    const forgetful = new PipelineInstance(await database.open(), {
      wrap: (store) => ({
        ...store,
        commit: async (plan) => {
          await store.commit(plan);
          await core.submit(plan.tenantId, { type: 'user.delete', userId: command.userId });
          throw new StoreUnavailable('unknown');
        },
      }),
    });
    const tenant = await core.createTenant();
    expect(codeOf(await forgetful.submit(tenant.id, command))).toBe('UNAVAILABLE');
    expect((await eventsOf(tenant)).map(({ name }) => name as string)).toEqual([
      'user.created',
      'user.deactivated',
      'user.deleted',
    ]);
  });

  it('returns 503 if its outcome cannot be determined', async () => {
    const unavailable = new PipelineInstance(await database.open(), {
      patienceMs: 500,
      wrap: (store) => ({
        ...store,
        commit: () => Promise.reject(new StoreUnavailable('unknown')),
      }),
    });
    const tenant = await core.createTenant();
    expect(codeOf(await unavailable.submit(tenant.id, create('unknown')))).toBe('UNAVAILABLE');
  });
});

describe('faults', () => {
  it('of one command fail only that command of the batch', async () => {
    const faulty = new PipelineInstance(await database.open(), {
      wrap: (store) => ({
        ...store,
        commit: (plan) => {
          const poisoned = plan.changes.some(
            ({ table, after }) => table === 'users' && after?.email === 'poison@example.com',
          );
          return poisoned ? Promise.reject(new Error('cannot be stored')) : store.commit(plan);
        },
      }),
    });
    const tenant = await faulty.createTenant();
    const names = ['a', 'b', 'poison', 'c'];
    const outcomes = await Promise.all(names.map((name) => faulty.submit(tenant.id, create(name))));
    expect(outcomes.map(codeOf)).toEqual(['ok', 'ok', 'INTERNAL', 'ok']);
  });

  it('of the database return 503 and do not stop the lane', async () => {
    let away = true;
    const cut = new PipelineInstance(await database.open(), {
      wrap: (store) => ({
        ...store,
        load: (...parameters) =>
          away ? Promise.reject(new StoreUnavailable('nothing')) : store.load(...parameters),
      }),
    });
    const tenant = await core.createTenant();
    expect(codeOf(await cut.submit(tenant.id, create('away')))).toBe('UNAVAILABLE');
    away = false;
    expect(codeOf(await cut.submit(tenant.id, create('away')))).toBe('ok');
  });
});

describe('the commands that the driver sends', () => {
  const STATE = new Set([
    'users',
    'departed_users',
    'api_keys',
    'plugin_records',
    'tenants',
    'events',
    'tenant_state',
  ]);

  it('check the version before any write, and write to a majority', async () => {
    const connection = await database.open({ monitorCommands: true });
    const sent: mongo.CommandStartedEvent[] = [];
    const watched = new PipelineInstance(connection);
    watched.collections.client.on('commandStarted', (event) => sent.push(event));
    const tenant = await watched.createTenant();
    const user = create('watched');
    await watched.submit(tenant.id, user);
    await watched.submit(tenant.id, { type: 'user.update', userId: user.userId, active: false });
    await watched.submit(tenant.id, { type: 'tenant.update', name: 'Renamed' });
    await watched.submit(tenant.id, { type: 'user.delete', userId: user.userId });

    const transactions = new Map<string, mongo.CommandStartedEvent[]>();
    for (const event of sent) {
      const { txnNumber, lsid } = event.command as {
        txnNumber?: unknown;
        lsid?: { id: { toString(): string } };
      };
      if (event.command.autocommit !== false) {
        const target = String(event.command[event.commandName]);
        const writes = ['insert', 'update', 'delete', 'findAndModify'].includes(event.commandName);
        expect(
          writes && STATE.has(target),
          `${event.commandName} ${target} outside a transaction`,
        ).toBe(false);
        continue;
      }
      const name = `${String(lsid?.id)}/${String(txnNumber)}`;
      transactions.set(name, [...(transactions.get(name) ?? []), event]);
    }
    expect(transactions.size).toBe(5);
    for (const [first, ...rest] of transactions.values()) {
      expect([first?.commandName, first?.command[first.commandName]]).toEqual(
        first?.commandName === 'insert' ? ['insert', 'tenant_state'] : ['update', 'tenant_state'],
      );
      if (first?.commandName === 'update')
        expect((first.command.updates as { q: object }[])[0]?.q).toHaveProperty('v');
      expect(first?.command.readConcern).toMatchObject({ level: 'snapshot' });
      const last = rest.at(-1);
      expect(last?.commandName).toBe('commitTransaction');
      expect(last?.command.writeConcern).toMatchObject({ w: 'majority', j: true });
    }
  });
});
