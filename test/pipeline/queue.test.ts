import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/commands.js';
import type { TenantId, UserId } from '../../src/domain/kernel/ids.js';
import { weightOf } from '../../src/domain/command-catalogue.js';
import type { Arrival } from '../../src/pipeline/batch.js';
import { CommandQueue } from '../../src/pipeline/intake/command-queue.js';
import { takeBatch } from '../../src/pipeline/intake/take-batch.js';
import { aUser, envelopeOf, GROUP_ID, idOf, ROOM_ID } from '../support/builders.js';

const DELETE: Command = { type: 'user.delete', userId: aUser(1).id };

const arrival = (
  more: Partial<Arrival> & { command?: Command; tenantId?: TenantId } = {},
): Arrival => {
  const { command = DELETE, tenantId, ...rest } = more;
  const envelope = envelopeOf(command as never, tenantId ? { tenantId } : {});
  return { envelope, weight: 1, bytes: 10, receivedAt: 0, resolve: () => undefined, ...rest };
};

const LIMITS = {
  perTenant: { weight: 10, bytes: 100 },
  overall: { weight: 15, bytes: 150 },
};
const OTHER = idOf<TenantId>(0xfff);

const entering = (...arrivals: readonly Arrival[]): CommandQueue => {
  const queue = new CommandQueue(LIMITS);
  for (const one of arrivals) queue.enter(one);
  return queue;
};

describe('the queue', () => {
  it.each([
    ['weight up to the limit', { weight: 9 }, { weight: 1 }, undefined],
    ['weight', { weight: 9 }, { weight: 2 }, 'UNAVAILABLE'],
    ['bytes up to the limit', { bytes: 60 }, { bytes: 40 }, undefined],
    ['bytes', { bytes: 60 }, { bytes: 41 }, 'UNAVAILABLE'],
  ])('bounds the %s of one tenant', (_what, first, second, expected) => {
    expect(entering(arrival(first)).refusalFor(arrival(second))?.code).toBe(expected);
  });

  it('bounds the load of all tenants together', () => {
    const queue = entering(arrival({ weight: 9 }));
    expect(queue.refusalFor(arrival({ weight: 6, tenantId: OTHER }))).toBeUndefined();
    expect(queue.refusalFor(arrival({ weight: 7, tenantId: OTHER }))?.code).toBe('UNAVAILABLE');
    expect(queue.refusalFor(arrival({ bytes: 141, tenantId: OTHER }))?.code).toBe('UNAVAILABLE');
  });

  it('accepts a command of any size if it is empty', () => {
    expect(
      new CommandQueue(LIMITS).refusalFor(arrival({ weight: 99, bytes: 9_999 })),
    ).toBeUndefined();
  });

  it('has capacity again when earlier commands are answered', () => {
    const first = arrival({ weight: 9, bytes: 90 });
    const queue = entering(first);
    expect(queue.refusalFor(arrival({ weight: 9 }))).toBeDefined();
    queue.leave(first);
    expect([queue.refusalFor(arrival({ weight: 9 })), queue.size]).toEqual([undefined, 0]);
  });
});

const lengths = (...arrivals: readonly Arrival[]): readonly number[] => {
  const queue = [...arrivals];
  const take = takeBatch(10);
  const taken: number[] = [];
  while (queue.length > 0) taken.push(take(queue).length);
  return taken;
};

const background = (weight: number): Arrival => {
  const one = arrival({ weight });
  return { ...one, envelope: { ...one.envelope, source: 'connector' } };
};

describe('a batch', () => {
  it('takes commands of connectors last, each kind in order', () => {
    const [a, b, one, two] = [background(2), background(3), arrival(), arrival()];
    expect(takeBatch(10)([one, a, b, two])).toEqual([one, two, a, b]);
  });

  it('takes a command of a connector at the latest after nine batches without, however many others come', () => {
    const take = takeBatch(10, 4);
    const property = fc.property(
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 20, maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      (weights, weight, isShared) => {
        const [first, second] = [background(weight), background(weight)];
        const queue = [first, second];
        const taken = weights.map((heavy) => {
          // As many as fill the batches by themselves.
          queue.push(...[1, 2, 3, 4].map(() => arrival({ weight: heavy })));
          return take(queue, isShared);
        });
        const at = taken.findIndex((batch) => batch.includes(first));
        const next = taken.findIndex((batch) => batch.includes(second));
        return at >= 0 && at < 10 && next >= 0 && next - at <= 10;
      },
    );
    fc.assert(property);
  });

  it('is limited by weight; a heavier command runs alone', () => {
    const [light, heavy] = [arrival({ weight: 4 }), arrival({ weight: 50 })];
    expect(lengths(light, light, light, heavy, light)).toEqual([2, 1, 1, 1]);
  });

  it.each([
    { type: 'job.step', jobId: idOf(7) },
    { type: 'tenant.update', name: 'x' },
    { type: 'tenant.delete' },
  ] as readonly Command[])('contains no other command besides $type', (command) => {
    expect(lengths(arrival(), arrival({ command }), arrival(), arrival())).toEqual([1, 1, 2]);
  });
});

describe('the weight of a command', () => {
  const userIds = [1, 2, 3].map((number) => idOf<UserId>(number));
  const change: Command = {
    type: 'group.change',
    groupId: GROUP_ID,
    steps: [{ op: 'add', userIds }, { op: 'removeAll' }, { op: 'remove', userIds }],
  };

  it.each([
    ['one user', DELETE, 1],
    ['every named member', change, 7],
    [
      'every member of a list',
      { type: 'member.sync', roomId: ROOM_ID, members: userIds.map((userId) => ({ userId })) },
      4,
    ],
    [
      'every operation of a Bulk',
      {
        type: 'bulk',
        operations: [change, change].map((command, at) => ({ id: idOf(at), command })),
        failOnErrors: null,
      },
      15,
    ],
  ] as readonly (readonly [string, Command, number])[])('counts %s', (_what, command, weight) => {
    expect(weightOf(command)).toBe(weight);
  });
});
