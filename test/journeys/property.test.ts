import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DirectoryCommand } from '../support/reference-directory.js';
import type { CommandId, UserId } from '../../src/domain/ids.js';
import type { PatchOperation } from '../../src/domain/patch-operation.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { User, UserProfile } from '../../src/domain/user.js';
import { newId } from '../../src/pipeline/new-id.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import { applyUserPatch } from '../../src/scim/patch/apply-patch.js';
import { Core, useDatabase } from '../support/core.js';
import { ReferenceDirectory, type ReferenceOutcome } from '../support/reference-directory.js';
import { type Place, Witness } from '../support/witness.js';

// ── What is asked ────────────────────────────────────────────────────────────────────────────────

/** Few, so that they meet; some differ in case alone. */
const NAMES = ['ann@example.com', 'Bob@example.com', 'BOB@example.com', 'cy', 'Cy', 'di'];
const ADDRESSES = ['ann@example.com', 'ANN@example.com', 'eve@example.com'];

const userName = fc.constantFrom(...NAMES);
const displayName = fc.constantFrom('Ann', 'Bob', 'ann@example.com');
const emails = fc.constantFrom(...ADDRESSES).map((value) => [{ value, primary: true }]);
const profile: fc.Arbitrary<UserProfile> = fc.record(
  { userName, active: fc.boolean(), displayName, emails },
  { requiredKeys: ['userName', 'active'] },
);

const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.boolean().map((value) => ({ op: 'replace' as const, path: 'active', value })),
  displayName.map((value) => ({ op: 'replace' as const, path: 'displayName', value })),
  userName.map((value) => ({ op: 'replace' as const, path: 'userName', value })),
  emails.map((value) => ({ op: 'replace' as const, path: 'emails', value })),
  fc.constantFrom('displayName', 'emails').map((path) => ({ op: 'remove' as const, path })),
);

/** A command on the user of one of the creates so far, whether that came to anything or not. */
interface Asked {
  readonly of: number;
  readonly make: (userId: UserId) => DirectoryCommand;
  readonly instance: number;
  /** Whether everything so far must be answered before this is asked. */
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

const make: fc.Arbitrary<Asked['make']> = fc.oneof(
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
        .array(operation, { minLength: 1, maxLength: 3 })
        .map((operations) => ({ type: 'user.patch', operations })),
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

const asked: fc.Arbitrary<Asked> = fc.record({
  make,
  of: fc.nat(5),
  instance: fc.nat(1),
  waits: fc.boolean(),
});

interface Play {
  readonly capacity: number | null;
  readonly asked: readonly Asked[];
  /** Which commits of the second instance are never heard of again by it. */
  readonly losses: readonly boolean[];
}

const play: fc.Arbitrary<Play> = fc.record({
  capacity: fc.option(fc.integer({ min: 0, max: 4 })),
  asked: fc.array(asked, { minLength: 1, maxLength: 30 }),
  losses: fc.array(fc.boolean(), { maxLength: 3 }),
});

// ── What comes of it ─────────────────────────────────────────────────────────────────────────────

interface Answered {
  readonly command: DirectoryCommand;
  readonly outcome: Outcome;
  readonly place: Place;
  readonly isRecalled: boolean;
  /** In the order of asking. */
  readonly number: number;
}

const database = useDatabase();
let cores: readonly { readonly core: Core; readonly witness: Witness }[];
let losses: boolean[] = [];

beforeAll(async () => {
  const start = async (witness: Witness) => ({
    witness,
    core: new Core(await database.open(), {
      rules: { applyPatch: applyUserPatch },
      wrap: witness.wrap,
    }),
  });
  cores = [await start(new Witness()), await start(new Witness(() => losses.shift() ?? false))];
});

/** Gives each create an id of its own, and every other command the id that it is about. */
const commandsIn = (given: readonly Asked[]): readonly DirectoryCommand[] => {
  const ids: UserId[] = [];
  return given.map(({ make: makeCommand, of }) => {
    const fresh = newId<UserId>();
    const known = ids[of % Math.max(1, ids.length)] ?? fresh;
    const command = makeCommand(known);
    if (command.type !== 'user.create') return command;
    ids.push(fresh);
    return { ...command, userId: fresh };
  });
};

const ask = async (
  tenant: Tenant,
  command: DirectoryCommand,
  { number, instance }: { readonly number: number; readonly instance: number },
): Promise<Answered> => {
  const { core, witness } = cores[instance]!;
  const commandId = newId<CommandId>();
  const outcome = await core.pipeline.submit({
    tenantId: tenant.id,
    command,
    commandId,
    actor: { kind: 'operator', name: 'test' },
    source: 'admin',
    requestId: 'request-1',
  });
  const [place, isRecalled] = [witness.placeOf(commandId), witness.isRecalled(commandId)];
  return { command, outcome, place, isRecalled, number };
};

const run = async (tenant: Tenant, { asked: given }: Play): Promise<readonly Answered[]> => {
  const commands = commandsIn(given);
  const answers: Promise<Answered>[] = [];
  for (const [number, { instance, waits }] of given.entries()) {
    if (waits) await Promise.all(answers);
    answers.push(ask(tenant, commands[number]!, { number, instance }));
  }
  return Promise.all(answers);
};

/** The order in which the answers came true. */
const inOrder = (answers: readonly Answered[]): readonly Answered[] =>
  [...answers].sort(
    (one, other) =>
      one.place.version - other.place.version ||
      Number(one.place.isInCommit) - Number(other.place.isInCommit) ||
      one.number - other.number,
  );

const asReference = ({ outcome, command }: Answered): ReferenceOutcome => {
  if (!outcome.ok) return { ok: false, code: outcome.refusal.code };
  const { result, changed } = outcome;
  if (command.type === 'tenant.update' || command.type === 'user.delete')
    return { ok: true, changed, user: null };
  const { id, version, profile: given } = result as User;
  return { ok: true, changed, user: { id, version, profile: given } };
};

/**
 * An answer that had to be found again tells how things are now, or that they were undone since; in
 * the reference it must have succeeded all the same.
 */
const comparable = (outcome: ReferenceOutcome, isRecalled: boolean): object => {
  if (!isRecalled) return outcome;
  const isDone = outcome.ok || outcome.code === 'UNAVAILABLE';
  return { isDone };
};

const stockOf = async (tenant: Tenant) => {
  const { collections } = cores[0]!.core;
  const of = { tenant: tenant.id };
  const [users, departed, events, state] = await Promise.all([
    collections.users.find(of).toArray(),
    collections.departedUsers.countDocuments(of),
    collections.database
      .collection<{ seq: number; name: string; data: object }>('events')
      .find(of)
      .sort({ seq: 1 })
      .toArray(),
    collections.tenantState.findOne({ _id: tenant.id }),
  ]);
  return { users, departed, events, state };
};

/**
 * Deleted users are kept for the audit trail (decisions.md 4), but for those whom the same commit
 * would have created: they never were in the database, and only the logs tell of them.
 */
const departuresIn = (answers: readonly Answered[]): number => {
  const done = answers.filter(({ outcome, isRecalled }) => outcome.ok || isRecalled);
  const created = new Map<string, number>();
  for (const { command, place } of done)
    if (command.type === 'user.create') created.set(command.userId, place.version);
  return done.filter(
    ({ command, place }) =>
      command.type === 'user.delete' && created.get(command.userId) !== place.version,
  ).length;
};

const agrees = async (given: Play): Promise<void> => {
  losses = [...given.losses];
  const tenant = await cores[0]!.core.makeTenant({ seatCapacity: given.capacity });
  const answers = inOrder(await run(tenant, given));
  const reference = new ReferenceDirectory(given.capacity);
  for (const answered of answers) {
    const expected = reference.run(answered.command);
    const { isRecalled } = answered;
    expect(comparable(asReference(answered), isRecalled)).toEqual(comparable(expected, isRecalled));
  }
  const { users, departed, events, state } = await stockOf(tenant);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ name, data }) => ({ name, ...data }))).toEqual(reference.events);
  expect(new Map(users.map(({ _id, v, profile: kept }) => [_id, { v, kept }]))).toEqual(
    new Map(
      [...reference.users].map(([id, user]) => [id, { v: user.version, kept: user.profile }]),
    ),
  );
  expect(departed).toBe(departuresIn(answers));
  expect(state).toMatchObject({
    seq: reference.events.length,
    seatsProvisioned: reference.seats,
    userCount: reference.users.size,
    seatCapacity: reference.capacity,
  });
};

/** `PROPERTY_RUNS=10000 npx vitest run test/journeys/property.test.ts` for the long form. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 40);

describe('two instances that are asked anything at the same time', () => {
  it(
    'come to what one command after the other comes to, event by event and answer by answer',
    async () => {
      await fc.assert(fc.asyncProperty(play, agrees), {
        numRuns: RUNS,
        endOnFailure: RUNS > 1_000,
      });
    },
    60_000 + RUNS * 1_000,
  );
});
