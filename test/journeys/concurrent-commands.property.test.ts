import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type DirectoryCommand,
  ReferenceDirectory,
  type ReferenceOutcome,
} from '../support/reference/directory.js';
import type { CommandId, UserId } from '../../src/domain/kernel/ids.js';
import type { RefusalCode } from '../../src/domain/kernel/refusals.js';
import type { ProfileChange } from '../../src/domain/user/profile-changes.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import type { User, UserProfile } from '../../src/domain/user/user.js';
import { newId, type Outcome } from '../../src/pipeline/submit.js';
import { PipelineInstance, useDatabase } from '../support/core.js';
import { CommitObserver, inSerialOrder, type Ordered } from '../support/commit-observer.js';
import { propertyRuns } from '../support/property-runs.js';

// ── Input ────────────────────────────────────────────────────────────────────────────────────────

/** Few, so that commands conflict; some differ only in case. */
const NAMES = ['ann@example.com', 'Bob@example.com', 'BOB@example.com', 'cy', 'Cy', 'di'];
const ADDRESSES = ['ann@example.com', 'ANN@example.com', 'eve@example.com'];

const userName = fc.constantFrom(...NAMES);
const displayName = fc.constantFrom('Ann', 'Bob', 'ann@example.com');
const emails = fc.constantFrom(...ADDRESSES).map((value) => [{ value, primary: true }]);
const profile: fc.Arbitrary<UserProfile> = fc.record(
  { userName, active: fc.boolean(), displayName, emails },
  { requiredKeys: ['userName', 'active'] },
);

const change: fc.Arbitrary<ProfileChange> = fc.oneof(
  fc.boolean().map((value) => ({ op: 'replace' as const, path: ['active'], value })),
  displayName.map((value) => ({ op: 'replace' as const, path: ['displayName'], value })),
  userName.map((value) => ({ op: 'replace' as const, path: ['userName'], value })),
  emails.map((value) => ({ op: 'replace' as const, path: ['emails'], value })),
  fc
    .constantFrom('displayName', 'emails')
    .map((path) => ({ op: 'remove' as const, path: [path], value: null })),
);

/** A command, on the user of one of the earlier creates, whether or not that succeeded. */
interface Step {
  readonly userIndex: number;
  readonly make: (userId: UserId) => DirectoryCommand;
  readonly instance: number;
  /** Whether all earlier commands must finish first. */
  readonly waits: boolean;
}

const ifMatch = fc.option(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), {
  freq: 4,
  nil: undefined,
});
const onUser = (more: fc.Arbitrary<object>) =>
  fc.tuple(more, ifMatch).map(
    ([command, versions]) =>
      (userId: UserId) =>
        ({ ...command, userId, ...(versions && { ifMatch: versions }) }) as DirectoryCommand,
  );

const make: fc.Arbitrary<Step['make']> = fc.oneof(
  {
    weight: 5,
    arbitrary: profile.map(
      (given) => (userId: UserId) => ({ type: 'user.create', userId, profile: given }) as const,
    ),
  },
  {
    weight: 2,
    arbitrary: onUser(profile.map((given) => ({ type: 'user.replace', profile: given }))),
  },
  {
    weight: 2,
    arbitrary: onUser(
      fc
        .record({ displayName, active: fc.boolean() }, { requiredKeys: [] })
        .map((fields) => ({ type: 'user.update', ...fields })),
    ),
  },
  {
    weight: 3,
    arbitrary: onUser(
      fc
        .array(change, { minLength: 1, maxLength: 3 })
        .map((changes) => ({ type: 'user.patch', changes })),
    ),
  },
  { weight: 1, arbitrary: onUser(fc.constant({ type: 'user.deactivate' })) },
  { weight: 2, arbitrary: onUser(fc.constant({ type: 'user.delete' })) },
  {
    weight: 1,
    arbitrary: fc
      .option(fc.integer({ min: 0, max: 4 }))
      .map((seatCapacity) => () => ({ type: 'tenant.update', seatCapacity }) as const),
  },
);

const step: fc.Arbitrary<Step> = fc.record({
  make,
  userIndex: fc.nat(5),
  instance: fc.nat(1),
  waits: fc.boolean(),
});

interface History {
  readonly capacity: number | null;
  readonly steps: readonly Step[];
  /** For each commit of the second instance, whether its response is lost. */
  readonly losses: readonly boolean[];
}

const history: fc.Arbitrary<History> = fc.record({
  capacity: fc.option(fc.integer({ min: 0, max: 4 })),
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
  losses: fc.array(fc.boolean(), { maxLength: 3 }),
});

// ── Execution ────────────────────────────────────────────────────────────────────────────────────

interface Executed extends Ordered {
  readonly command: DirectoryCommand;
  readonly outcome: Outcome;
  readonly isRecovered: boolean;
}

const database = useDatabase();
let cores: readonly { readonly core: PipelineInstance; readonly observer: CommitObserver }[];
let losses: boolean[] = [];

beforeAll(async () => {
  const start = async (observer: CommitObserver) => ({
    observer,
    core: new PipelineInstance(await database.open(), {
      wrap: observer.wrap,
    }),
  });
  cores = [
    await start(new CommitObserver()),
    await start(new CommitObserver(() => losses.shift() ?? false)),
  ];
});

/** Gives each create a new id, and every other command the id of its user. */
const commandsOf = (steps: readonly Step[]): readonly DirectoryCommand[] => {
  const ids: UserId[] = [];
  return steps.map(({ make: makeCommand, userIndex }) => {
    const fresh = newId<UserId>();
    const known = ids[userIndex % Math.max(1, ids.length)] ?? fresh;
    const command = makeCommand(known);
    if (command.type !== 'user.create') return command;
    ids.push(fresh);
    return { ...command, userId: fresh };
  });
};

const submit = async (
  tenant: Tenant,
  command: DirectoryCommand,
  { number, instance }: { readonly number: number; readonly instance: number },
): Promise<Executed> => {
  const { core, observer } = cores[instance]!;
  const commandId = newId<CommandId>();
  const outcome = await core.pipeline.submit({
    tenantId: tenant.id,
    command,
    commandId,
    actor: { kind: 'operator', name: 'test' },
    source: 'admin',
    requestId: 'request-1',
  });
  const [position, isRecovered] = [observer.positionOf(commandId), observer.isRecovered(commandId)];
  return { command, outcome, position, isRecovered, number };
};

const run = async (tenant: Tenant, { steps }: History): Promise<readonly Executed[]> => {
  const commands = commandsOf(steps);
  const executed: Promise<Executed>[] = [];
  for (const [number, { instance, waits }] of steps.entries()) {
    if (waits) await Promise.all(executed);
    executed.push(submit(tenant, commands[number]!, { number, instance }));
  }
  return Promise.all(executed);
};

const asReference = ({ outcome, command }: Executed): ReferenceOutcome => {
  if (!outcome.ok) return { ok: false, code: outcome.refusal.code as RefusalCode };
  const { result, changed } = outcome;
  if (command.type === 'tenant.update' || command.type === 'user.delete')
    return { ok: true, changed, user: null };
  const { id, version, profile: given } = result as User;
  return { ok: true, changed, user: { id, version, profile: given } };
};

/**
 * A recovered outcome has the current state of the user, or is UNAVAILABLE if the user was deleted
 * since. In either case the command must have succeeded in the reference.
 */
const comparable = (outcome: ReferenceOutcome, isRecovered: boolean): object => {
  if (!isRecovered) return outcome;
  const isApplied = outcome.ok || outcome.code === 'UNAVAILABLE';
  return { isApplied };
};

const storedStateOf = async (tenant: Tenant) => {
  const { collections } = cores[0]!.core;
  const of = { tenant: tenant.id };
  const [users, deleted, events, state] = await Promise.all([
    collections.users.find(of).toArray(),
    collections.deletedUsers.countDocuments(of),
    collections.database
      .collection<{ seq: number; name: string; data: object }>('events')
      .find(of)
      .sort({ seq: 1 })
      .toArray(),
    collections.tenantState.findOne({ _id: tenant.id }),
  ]);
  return { users, deleted, events, state };
};

/**
 * Deleted users are kept for the audit trail (decisions.md 4), except those created and deleted in
 * the same commit, which were never stored.
 */
const expectedDeletedUsers = (executed: readonly Executed[]): number => {
  const applied = executed.filter(({ outcome, isRecovered }) => outcome.ok || isRecovered);
  const created = new Map<string, number>();
  for (const { command, position } of applied)
    if (command.type === 'user.create') created.set(command.userId, position.version);
  return applied.filter(
    ({ command, position }) =>
      command.type === 'user.delete' && created.get(command.userId) !== position.version,
  ).length;
};

const check = async (given: History): Promise<void> => {
  losses = [...given.losses];
  const tenant = await cores[0]!.core.createTenant({ seatCapacity: given.capacity });
  const executed = inSerialOrder(await run(tenant, given));
  const reference = new ReferenceDirectory(given.capacity);
  for (const one of executed) {
    const expected = reference.run(one.command);
    const { isRecovered } = one;
    expect(comparable(asReference(one), isRecovered)).toEqual(comparable(expected, isRecovered));
  }
  const { users, deleted, events, state } = await storedStateOf(tenant);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ name, data }) => ({ name, ...data }))).toEqual(reference.events);
  expect(new Map(users.map(({ _id, v, profile: stored }) => [_id, { v, stored }]))).toEqual(
    new Map(
      [...reference.users].map(([id, user]) => [id, { v: user.version, stored: user.profile }]),
    ),
  );
  expect(deleted).toBe(expectedDeletedUsers(executed));
  expect(state).toMatchObject({
    seq: reference.events.length,
    seatsProvisioned: reference.seats,
    userCount: reference.users.size,
    seatCapacity: reference.capacity,
  });
};

/** For a long run: `PROPERTY_RUNS=10000 npx vitest run test/journeys/concurrent-commands.property.test.ts`. */
const RUNS = propertyRuns(40);

describe('two instances that run arbitrary user commands concurrently', () => {
  it(
    'produce the same events and outcomes as running the commands one after the other',
    async () => {
      await fc.assert(fc.asyncProperty(history, check), {
        numRuns: RUNS,
        endOnFailure: RUNS > 1_000,
      });
    },
    60_000 + RUNS * 1_000,
  );
});
