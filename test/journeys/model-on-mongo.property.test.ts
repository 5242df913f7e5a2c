import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkOutcome, RunBulk } from '../../src/domain/commands.js';
import { LIMITS, type Limits } from '../../src/domain/kernel/decider.js';
import type { CommandId } from '../../src/domain/kernel/ids.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { newId, type Outcome } from '../../src/pipeline/submit.js';
import { jobTable, jobPartTable } from '../../src/store/tables/jobs.js';
import { groupTable, roleMappingTable } from '../../src/store/tables/groups.js';
import { membershipTable, roomTable } from '../../src/store/tables/rooms.js';
import { fromTenantState } from '../../src/store/tables/tenants.js';
import { fromUserDocument } from '../../src/store/tables/users.js';
import { PipelineInstance, useDatabase } from '../support/core.js';
import {
  asModelEvents,
  asModelOutcome,
  expectConsistentLog,
  inComparableOrder,
  type ModelEvent,
} from '../support/histories/agreement.js';
import {
  anyCommand,
  KnownIds,
  type CommandFactory,
  initialCommands,
  type ModelCommand,
} from '../support/histories/model-commands.js';
import { stateInMemory, type StoredState, summaryOf } from '../support/histories/state.js';
import {
  CommitObserver,
  type CommitPosition,
  inSerialOrder,
  type Ordered,
} from '../support/commit-observer.js';
import { eventually } from '../support/eventually.js';
import { MemoryPipeline } from '../support/memory-core.js';
import { propertyRuns } from '../support/property-runs.js';

interface Step {
  readonly make: CommandFactory;
  /** Versions that a command on a user requires. */
  readonly ifMatch: readonly number[] | null;
  readonly instance: number;
  /** Whether all earlier commands must finish first. */
  readonly waits: boolean;
}

interface History {
  readonly hasJobs: boolean;
  readonly capacity: number | null;
  readonly steps: readonly Step[];
  /** Without jobs: for each commit of the second instance, whether its response is lost. */
  readonly losses: readonly boolean[];
}

const step: fc.Arbitrary<Step> = fc.record({
  make: anyCommand,
  ifMatch: fc.option(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), { freq: 4 }),
  instance: fc.nat(1),
  waits: fc.boolean(),
});

const history: fc.Arbitrary<History> = fc.record({
  hasJobs: fc.boolean(),
  capacity: fc.option(fc.integer({ min: 3, max: 8 })),
  steps: fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
  losses: fc.array(fc.boolean(), { maxLength: 3 }),
});

interface Executed extends Ordered {
  readonly command: ModelCommand;
  readonly outcome: Outcome;
  readonly isRecovered: boolean;
}

interface Instance {
  readonly core: PipelineInstance;
  readonly observer: CommitObserver;
}

const FEW: Limits = { membersAtOnce: 1, changesAtOnce: 6, stepSize: 1 };
const database = useDatabase();
/** Two with tiny limits, which run jobs and one command per batch; two with the real limits. */
let withJobs: readonly Instance[];
let withBatches: readonly Instance[];
let losses: boolean[] = [];

beforeAll(async () => {
  const start = async (
    more: { largestBatch?: number; changeLimits: Limits },
    observer = new CommitObserver(),
  ) => {
    return {
      observer,
      core: new PipelineInstance(await database.open(), { wrap: observer.wrap, ...more }),
    };
  };
  const small = { largestBatch: 1, changeLimits: FEW };
  withJobs = [await start(small), await start(small)];
  withBatches = [
    await start({ changeLimits: LIMITS }),
    await start({ changeLimits: LIMITS }, new CommitObserver(() => losses.shift() ?? false)),
  ];
});

const submit = async (
  { core, observer }: Instance,
  tenant: Tenant,
  { command, number }: Pick<Executed, 'command' | 'number'>,
): Promise<readonly Executed[]> => {
  const commandId = newId<CommandId>();
  const outcome = await core.pipeline.submit({
    tenantId: tenant.id,
    command,
    commandId,
    actor: { kind: 'operator', name: 'test' },
    source: 'admin',
    requestId: 'request-1',
  });
  return command.type === 'bulk' && outcome.ok
    ? splitByPosition({ command, outcome, number }, observer)
    : [
        {
          command,
          outcome,
          number,
          position: observer.positionOf(commandId),
          isRecovered: observer.isRecovered(commandId),
        },
      ];
};

type ExecutedBulk = Pick<Executed, 'number'> & {
  readonly command: RunBulk;
  readonly outcome: Extract<Outcome, { readonly ok: true }>;
};

/** A Bulk that waits for a job it started is committed in several parts, at different positions. */
const splitByPosition = (
  { command, outcome, number }: ExecutedBulk,
  observer: CommitObserver,
): readonly Executed[] => {
  const outcomes = outcome.result as unknown as readonly BulkOutcome[];
  const parts: {
    position: CommitPosition;
    operations: RunBulk['operations'][number][];
    from: number;
  }[] = [];
  for (const [at, operation] of command.operations.entries()) {
    const last = parts.at(-1);
    const position = 'id' in operation ? observer.positionOf(operation.id) : last?.position;
    if (last && (position ?? last.position).version === last.position.version)
      last.operations.push(operation);
    else
      parts.push({
        position: position ?? observer.positionOf(newId()),
        operations: [operation],
        from: at,
      });
  }
  const errorsBefore = (at: number): number =>
    outcomes.slice(0, at).filter((one) => one && 'refusal' in one).length;
  return parts.map(({ position, operations, from }) => ({
    command: {
      ...command,
      operations,
      failOnErrors: command.failOnErrors && command.failOnErrors - errorsBefore(from),
    },
    outcome: { ...outcome, result: outcomes.slice(from, from + operations.length) as never },
    number,
    position,
    isRecovered: operations.some((one) => 'id' in one && observer.isRecovered(one.id)),
  }));
};

const storedStateOf = async (
  { core: { collections } }: Instance,
  tenant: Tenant,
): Promise<StoredState> => {
  const of = { tenant: tenant.id };
  const state = await collections.tenantState.findOne({ _id: tenant.id });
  return {
    tenant: fromTenantState(state!),
    users: (await collections.users.find(of).toArray()).map(fromUserDocument),
    rooms: (await collections.rooms.find(of).toArray()).map(roomTable.fromDocument),
    groups: (await collections.groups.find(of).toArray()).map(groupTable.fromDocument),
    memberships: (await collections.memberships.find(of).toArray()).map(
      membershipTable.fromDocument,
    ),
    roleMappings: (await collections.roleMappings.find(of).toArray()).map(
      roleMappingTable.fromDocument,
    ),
    jobs: (await collections.jobs.find(of).toArray()).map(jobTable.fromDocument),
    jobParts: (await collections.jobParts.find(of).toArray()).map(jobPartTable.fromDocument),
  };
};

const untilJobsFinished = ({ core: { collections } }: Instance, { id }: Tenant) =>
  eventually(async () =>
    expect(await collections.jobs.countDocuments({ tenant: id, finishedAt: null })).toBe(0),
  );

const eventsOf = async ({ core: { collections } }: Instance, { id }: Tenant) => {
  const events = await collections.database
    .collection<ModelEvent & { seq: number }>('events')
    .find({ tenant: id })
    .sort({ seq: 1 })
    .toArray();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  return asModelEvents(events as never);
};

/** Versions count commits with jobs, so only commands without jobs may require one. */
const requiring = (command: ModelCommand, { ifMatch }: Step, { hasJobs }: History): ModelCommand =>
  hasJobs || !ifMatch || !command.type.startsWith('user.') || command.type === 'user.create'
    ? command
    : ({ ...command, ifMatch } as ModelCommand);

const run = async (
  instances: readonly Instance[],
  tenant: Tenant,
  given: History,
): Promise<readonly Executed[]> => {
  const known = new KnownIds(newId);
  const executed: Promise<readonly Executed[]>[] = [];
  const first = instances[0]!;
  for (const command of initialCommands(known)) {
    executed.push(submit(first, tenant, { command, number: executed.length }));
    await executed.at(-1);
  }
  for (const one of given.steps) {
    if (one.waits) await Promise.all(executed);
    const command = requiring(one.make(known), one, given);
    const instance = instances[one.instance]!;
    executed.push(submit(instance, tenant, { command, number: executed.length }));
  }
  return inSerialOrder((await Promise.all(executed)).flat());
};

/**
 * A recovered outcome has the state of now, or is UNAVAILABLE if the entity was deleted since. In
 * either case the command must succeed if it runs alone.
 */
const comparable = ({ command, isRecovered }: Executed, outcome: Outcome): object => {
  if (!isRecovered) return asModelOutcome(command, outcome);
  return { isApplied: outcome.ok || outcome.refusal.code === 'UNAVAILABLE' };
};

/**
 * Deleted users are kept for the audit trail (decisions.md 4), except those created and deleted in
 * the same commit, which were never stored.
 */
const deletedUsers = (executed: readonly Executed[]): number => {
  const created = new Map<string, number>();
  let count = 0;
  for (const { command, outcome, position, isRecovered } of executed) {
    if (!outcome.ok && !isRecovered) continue;
    if (command.type === 'user.create') created.set(command.userId, position.version);
    if (command.type === 'user.delete' && created.get(command.userId) !== position.version)
      count += 1;
  }
  return count;
};

const check = async (given: History): Promise<void> => {
  const instances = given.hasJobs ? withJobs : withBatches;
  const first = instances[0]!;
  losses = [...given.losses];
  const { capacity: seatCapacity } = given;
  const tenant = await first.core.createTenant({ seatCapacity });
  const executed = await run(instances, tenant, given);
  try {
    const serial = new MemoryPipeline({ tenant: { seatCapacity } });
    for (const one of executed) {
      const { outcome } = await serial.runOne(one.command);
      expect(comparable(one, one.outcome)).toEqual(comparable(one, outcome));
    }
    await untilJobsFinished(first, tenant);
    const [stored, alone] = [await storedStateOf(first, tenant), stateInMemory(serial.store)];
    expect(summaryOf(stored)).toEqual(summaryOf(alone));
    const events = await eventsOf(first, tenant);
    expectConsistentLog(events);
    if (given.hasJobs) return;
    expect(inComparableOrder(events)).toEqual(
      inComparableOrder(asModelEvents(serial.store.events)),
    );
    expect(versionsOf(stored)).toEqual(versionsOf(alone));
    if (executed.every(({ command }) => command.type !== 'bulk'))
      expect(await first.core.collections.deletedUsers.countDocuments({ tenant: tenant.id })).toBe(
        deletedUsers(executed),
      );
  } catch (error) {
    const lines = executed
      .slice(11)
      .map(({ command, outcome, position }) => JSON.stringify([position, command, outcome]));
    throw new Error(lines.join('\n'), { cause: error });
  }
};

const versionsOf = ({ users }: StoredState) =>
  new Map(users.map(({ id, version }) => [id, version]));

/** For a long run: `PROPERTY_RUNS=1000 npx vitest run test/journeys/model-on-mongo.property.test.ts`. */
const RUNS = propertyRuns(50);

describe('two instances that run arbitrary commands concurrently, with jobs and batches', () => {
  it(
    'produce the same outcomes, events and state as running the commands one after the other',
    async () => {
      await fc.assert(fc.asyncProperty(history, check), {
        numRuns: RUNS,
        endOnFailure: RUNS > 100,
      });
    },
    90_000 + RUNS * 2_000,
  );
});
