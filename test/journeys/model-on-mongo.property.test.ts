import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkOutcome, RunBulk } from '../../src/domain/commands.js';
import { LIMITS, type Limits } from '../../src/domain/kernel/decider.js';
import type { CommandId } from '../../src/domain/kernel/ids.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { newId, type Outcome } from '../../src/pipeline/submit.js';
import { fromJobDocument, jobPartTable } from '../../src/store/tables/jobs.js';
import { fromGroupDocument, fromRoleMappingDocument } from '../../src/store/tables/groups.js';
import { fromMembershipDocument, fromRoomDocument } from '../../src/store/tables/rooms.js';
import { fromTenantState } from '../../src/store/tables/tenants.js';
import { fromUserDocument } from '../../src/store/tables/users.js';
import { PipelineInstance, useDatabase } from '../support/core.js';
import { expectConsistentLog } from '../support/reference/agreement.js';
import {
  anyCommand,
  KnownIds,
  type CommandFactory,
  initialCommands,
} from '../support/reference/model-commands.js';
import { type ModelCommand, ReferenceOrganisation } from '../support/reference/organisation.js';
import {
  type StoredState,
  summaryOfReference,
  summaryOfStored,
} from '../support/reference/state.js';
import {
  CommitObserver,
  type CommitPosition,
  inSerialOrder,
  type Ordered,
} from '../support/commit-observer.js';
import { eventually } from '../support/eventually.js';
import { noSeal } from '../support/stored-documents.js';
import { propertyRuns } from '../support/property-runs.js';

interface Step {
  readonly make: CommandFactory;
  readonly instance: number;
  /** Whether all earlier commands must finish first. */
  readonly waits: boolean;
}

interface History {
  readonly hasJobs: boolean;
  readonly steps: readonly Step[];
}

const history: fc.Arbitrary<History> = fc.record({
  hasJobs: fc.boolean(),
  steps: fc.array(fc.record({ make: anyCommand, instance: fc.nat(1), waits: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
    size: 'max',
  }),
});

interface Executed extends Ordered {
  readonly command: ModelCommand;
  readonly outcome: Outcome;
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

beforeAll(async () => {
  const start = async (more: { largestBatch?: number; changeLimits: Limits }) => {
    const observer = new CommitObserver();
    return {
      observer,
      core: new PipelineInstance(await database.open(), { wrap: observer.wrap, ...more }),
    };
  };
  const small = { largestBatch: 1, changeLimits: FEW };
  withJobs = [await start(small), await start(small)];
  withBatches = [await start({ changeLimits: LIMITS }), await start({ changeLimits: LIMITS })];
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
    : [{ command, outcome, number, position: observer.positionOf(commandId) }];
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
  }));
};

const codesOf = (outcome: Outcome, { type }: ModelCommand): unknown => {
  if (!outcome.ok) return outcome.refusal.code;
  if (type !== 'bulk') return outcome.changed ? 'changed' : 'unchanged';
  return (outcome.result as readonly BulkOutcome[]).map((one) => {
    if (!one) return null;
    return 'refusal' in one ? one.refusal.code : 'done';
  });
};

const expectedCodes = (reference: ReferenceOrganisation, command: ModelCommand): unknown => {
  const outcome = reference.run(command);
  if (!outcome.ok) return outcome.code;
  if (command.type !== 'bulk') return outcome.changed ? 'changed' : 'unchanged';
  return (outcome.result as readonly ({ code?: string } | null)[]).map(
    (one) => one && (one.code ?? 'done'),
  );
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
    rooms: (await collections.rooms.find(of).toArray()).map(fromRoomDocument),
    groups: (await collections.groups.find(of).toArray()).map(fromGroupDocument),
    memberships: (await collections.memberships.find(of).toArray()).map(fromMembershipDocument),
    roleMappings: (await collections.roleMappings.find(of).toArray()).map(fromRoleMappingDocument),
    jobs: (await collections.jobs.find(of).toArray()).map(fromJobDocument),
    jobParts: (await collections.jobParts.find(of).toArray()).map((part) =>
      jobPartTable.fromDocument(part, noSeal)!,
    ),
  };
};

const untilJobsFinished = ({ core: { collections } }: Instance, { id }: Tenant) =>
  eventually(async () =>
    expect(await collections.jobs.countDocuments({ tenant: id, finishedAt: null })).toBe(0),
  );

const expectConsistentEvents = async ({ core: { collections } }: Instance, { id }: Tenant) => {
  const events = await collections.database
    .collection<{ seq: number; name: string; data: object }>('events')
    .find({ tenant: id })
    .sort({ seq: 1 })
    .toArray();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expectConsistentLog(events.map(({ name, data }) => ({ name, data })));
};

const run = async (
  instances: readonly Instance[],
  tenant: Tenant,
  { steps }: History,
): Promise<readonly Executed[]> => {
  const known = new KnownIds(newId);
  const executed: Promise<readonly Executed[]>[] = [];
  const first = instances[0]!;
  for (const command of initialCommands(known)) {
    executed.push(submit(first, tenant, { command, number: executed.length }));
    await executed.at(-1);
  }
  for (const { make, instance, waits } of steps) {
    if (waits) await Promise.all(executed);
    const command = make(known);
    executed.push(submit(instances[instance]!, tenant, { command, number: executed.length }));
  }
  return inSerialOrder((await Promise.all(executed)).flat());
};

const check = async (given: History): Promise<void> => {
  const instances = given.hasJobs ? withJobs : withBatches;
  const first = instances[0]!;
  const tenant = await first.core.createTenant();
  const executed = await run(instances, tenant, given);
  try {
    const reference = new ReferenceOrganisation(null);
    for (const { outcome, command } of executed)
      expect(codesOf(outcome, command)).toEqual(expectedCodes(reference, command));
    await untilJobsFinished(first, tenant);
    const stored = await storedStateOf(first, tenant);
    expect(summaryOfStored(stored)).toEqual(summaryOfReference(reference));
    await expectConsistentEvents(first, tenant);
  } catch (error) {
    const lines = executed
      .slice(11)
      .map(({ command, outcome, position }) =>
        JSON.stringify([position, codesOf(outcome, command), command]),
      );
    throw new Error(lines.join('\n'), { cause: error });
  }
};

/** For a long run: `PROPERTY_RUNS=1000 npx vitest run test/journeys/model-on-mongo.property.test.ts`. */
const RUNS = propertyRuns(25);

describe('two instances that run arbitrary commands concurrently, with jobs and batches', () => {
  it(
    'produce the same outcomes and state as running the commands one after the other',
    async () => {
      await fc.assert(fc.asyncProperty(history, check), {
        numRuns: RUNS,
        endOnFailure: RUNS > 100,
      });
    },
    90_000 + RUNS * 2_000,
  );
});
