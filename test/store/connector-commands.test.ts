import { describe, expect, it } from 'vitest';
import { type Submit, newId } from '../../src/pipeline/submit.js';
import type { RoomId, TenantId, UserId } from '../../src/domain/kernel/ids.js';
import { createConnectorCommands } from '../../src/plugin/connector-runtime/connector-commands.js';
import { createFakeSourceClock } from '../../src/plugin/testing.js';
import { aProfile } from '../support/builders.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

const database = useDatabase();
const never = new AbortController().signal;

const commandsOf = (submit: Submit, tenantId: TenantId) =>
  createConnectorCommands({
    submit,
    preview: () => Promise.reject(new Error('not used')),
    stopping: never,
    clock: createFakeSourceClock(),
  })({ tenantId, connector: 'hr', requestId: 'run-1', signal: never });

const open = async () => {
  const gateway = new PipelineInstance(await database.open());
  const tenant = await gateway.createTenant();
  const commands = commandsOf(gateway.pipeline.submit, tenant.id);
  const create = (key: string, userName = key) =>
    commands.submit<'user.create'>(key, {
      type: 'user.create',
      userId: commands.idFor<UserId>(key),
      profile: aProfile({ userName }),
    });
  return { gateway, tenant, commands, create };
};

const eventsOf = (gateway: PipelineInstance, tenantId: TenantId) =>
  gateway.collections.events.countDocuments({ tenant: tenantId });

describe('a command of a connector', () => {
  it('takes effect once, whatever crashed in between', async () => {
    // given a created user, and a gateway that has just started
    const first = await open();
    const created = await first.create('1/0');
    const restarted = new PipelineInstance(await database.open());
    const commands = commandsOf(restarted.pipeline.submit, first.tenant.id);
    // when the same command is submitted again
    const again = await commands.submit<'user.create'>('1/0', {
      type: 'user.create',
      userId: commands.idFor<UserId>('1/0'),
      profile: aProfile({ userName: '1/0' }),
    });
    // then it returns the first result and changes nothing
    expect(created).toMatchObject({ ok: true, changed: true });
    expect(again).toMatchObject({ ok: true, changed: false, isReplay: true });
    expect(again.ok && again.result).toEqual(created.ok && created.result);
    expect(await eventsOf(restarted, first.tenant.id)).toBe(1);
  });

  it('takes effect once if it is submitted twice at the same time', async () => {
    const { gateway, tenant, create } = await open();
    const both = await Promise.all([create('2/0'), create('2/0')]);
    expect(both.map((outcome) => outcome.ok)).toEqual([true, true]);
    expect(await eventsOf(gateway, tenant.id)).toBe(1);
  });

  it('is decided again after a refusal', async () => {
    // given a refused creation
    const { gateway, tenant, create } = await open();
    await gateway.submit(tenant.id, { type: 'tenant.update', seatCapacity: 0 });
    expect(await create('3/0')).toMatchObject({
      ok: false,
      refusal: { code: 'SEAT_CAPACITY_REACHED' },
    });
    // when there is a seat
    await gateway.submit(tenant.id, { type: 'tenant.update', seatCapacity: 1 });
    // then it succeeds, and only then it counts as done
    expect(await create('3/0')).toMatchObject({ ok: true, changed: true });
    expect(await create('3/0')).toMatchObject({ ok: true, changed: false, isReplay: true });
  });

  it('waits while the gateway is busy', async () => {
    // given a gateway that refuses twice
    let refusals = 0;
    const { gateway, tenant } = await open();
    const commands = commandsOf(async (submission) => {
      refusals += 1;
      if (refusals <= 2)
        return { ok: false, refusal: { code: 'UNAVAILABLE', message: 'The queue is full.' } };
      return gateway.pipeline.submit(submission);
    }, tenant.id);
    // when a command is submitted
    const outcome = await commands.submit<'user.create'>('4/0', {
      type: 'user.create',
      userId: newId<UserId>(),
      profile: aProfile(),
    });
    // then it is carried out
    expect([outcome.ok, refusals]).toEqual([true, 3]);
  });

  it('has at most 200 of a tenant in flight', async () => {
    let [inFlight, most] = [0, 0];
    const commands = commandsOf(
      (async () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await Promise.resolve();
        inFlight -= 1;
        return { ok: true, result: null, changed: true };
      }) as unknown as Submit,
      newId<TenantId>(),
    );
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        commands.submit<'user.deactivate'>(String(index), {
          type: 'user.deactivate',
          userId: newId<UserId>(),
        }),
      ),
    );
    expect(most).toBe(200);
  });

  it.each([
    ['a role mapping', { type: 'role-mapping.delete', mappingId: newId() }],
    ['a user', { type: 'user.delete', userId: newId() }],
  ] as const)('never deletes %s', async (_what, command) => {
    const { gateway, tenant } = await open();
    const outcome = await gateway.pipeline.submit({
      tenantId: tenant.id,
      actor: { kind: 'connector', name: 'hr' },
      source: 'connector',
      requestId: 'run-1',
      command: command as never,
    });
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'INSUFFICIENT_SCOPE' } });
  });

  it('may create a group where the tenant provisions rooms', async () => {
    const gateway = new PipelineInstance(await database.open());
    const tenant = await gateway.createTenant({ roomProvisioning: 'automatic' });
    const commands = commandsOf(gateway.pipeline.submit, tenant.id);
    const outcome = await commands.submit<'group.create'>('group/Dispatch', {
      type: 'group.create',
      groupId: commands.idFor('group/Dispatch'),
      roomId: commands.idFor<RoomId>('room/Dispatch'),
      displayName: 'Dispatch',
      externalId: null,
      members: [],
    });
    expect(outcome).toMatchObject({ ok: true, changed: true });
  });
});
