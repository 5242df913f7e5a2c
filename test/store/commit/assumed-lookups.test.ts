import type { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/kernel/ids.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { newId, type Outcome } from '../../../src/pipeline/submit.js';
import { aProfile } from '../../support/builders.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();
let core: PipelineInstance;

beforeAll(async () => {
  core = new PipelineInstance(await database.open({ monitorCommands: true }));
});

const create = (name: string, active = true) => ({
  type: 'user.create' as const,
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com`, active }),
});

const codeOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : outcome.refusal.code);

/** A tenant whose state is in memory after its last commit. */
const givenTenantInMemory = async (seatCapacity: number | null = null): Promise<Tenant> => {
  const tenant = await core.createTenant({ seatCapacity });
  await core.submit(tenant.id, create('first'));
  return tenant;
};

/** The commands that the database gets during the work. */
const commandsDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const sent: string[] = [];
  const note = ({ commandName }: mongo.CommandStartedEvent) => sent.push(commandName);
  core.collections.client.on('commandStarted', note);
  await work();
  core.collections.client.off('commandStarted', note);
  return sent;
};

describe('a create in a tenant that is in memory', () => {
  it('sends nothing before its transaction', async () => {
    const { id } = await givenTenantInMemory();
    const sent = await commandsDuring(() => core.submit(id, create('second')));
    expect(sent.toSorted()).toEqual(['commitTransaction', 'insert', 'insert', 'insert', 'update']);
    expect(sent[0]).toBe('update');
  });

  it.each([
    ['its user name', 'first', 'USERNAME_TAKEN'],
    ['its user name in other case', 'FIRST', 'USERNAME_TAKEN'],
  ])('is refused if another user has %s', async (_what, name, code) => {
    const { id } = await givenTenantInMemory();
    const outcomes = await Promise.all(
      ['second', name, 'third'].map((each) => core.submit(id, create(each))),
    );
    expect(outcomes.map(codeOf).map((each) => each.replace('EMAIL', 'USERNAME'))).toEqual([
      'ok',
      code,
      'ok',
    ]);
    expect(await core.collections.users.countDocuments({ tenant: id })).toBe(3);
  });

  it('is refused for its key, not for the seats, if it has neither', async () => {
    const { id } = await givenTenantInMemory(1);
    expect(codeOf(await core.submit(id, create('first')))).toMatch(/^(EMAIL|USERNAME)_TAKEN$/);
    expect(codeOf(await core.submit(id, create('second')))).toBe('SEAT_CAPACITY_REACHED');
  });

  it('is refused if another instance has just created the user', async () => {
    const other = new PipelineInstance(await database.open());
    const { id } = await givenTenantInMemory();
    await other.submit(id, create('second'));
    expect(codeOf(await core.submit(id, create('second')))).toMatch(/^(EMAIL|USERNAME)_TAKEN$/);
    expect(codeOf(await core.submit(id, create('third')))).toBe('ok');
  });

  it('is previewed with the user that has its key', async () => {
    const { id } = await givenTenantInMemory();
    const { outcome } = await core.pipeline.preview({
      tenantId: id,
      command: create('first'),
      actor: { kind: 'operator', name: 'test' },
      source: 'admin',
      requestId: 'request-1',
    });
    expect(codeOf(outcome)).toMatch(/^(EMAIL|USERNAME)_TAKEN$/);
  });

  it('looks up its keys if another command shares its batch', async () => {
    const { id } = await givenTenantInMemory();
    const command = create('second');
    const first = core.submit(id, create('third'));
    const both = [
      core.submit(id, command),
      core.submit(id, { type: 'user.delete', userId: command.userId }),
    ];
    const outcomes = await Promise.all([first, ...both]);
    expect(outcomes.map(codeOf)).toEqual(['ok', 'ok', 'ok']);
  });
});
