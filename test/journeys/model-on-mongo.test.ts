import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { BulkOutcome, RunBulk } from '../../src/domain/commands.js';
import { type Limits, LIMITS } from '../../src/domain/decide/limits.js';
import type { CommandId } from '../../src/domain/ids.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { newId } from '../../src/pipeline/new-id.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import { applyUserPatch } from '../../src/scim/patch/apply-patch.js';
import { fromJobDocument, fromJobPartDocument } from '../../src/store/job-document.js';
import {
  fromGroupDocument,
  fromMembershipDocument,
  fromRoleMappingDocument,
  fromRoomDocument,
} from '../../src/store/room-document.js';
import { fromTenantState } from '../../src/store/tenant-document.js';
import { fromUserDocument } from '../../src/store/user-document.js';
import { Core, useDatabase } from '../support/core.js';
import { expectSoundLog } from '../support/reference/agreement.js';
import { anyCommand, Cast, type Make, opening } from '../support/reference/model-commands.js';
import { type ModelCommand, ReferenceOrganisation } from '../support/reference/organisation.js';
import { type Stock, summaryOfReference, summaryOfStock } from '../support/reference/state.js';
import { type Place, Witness } from '../support/witness.js';

interface Asked {
  readonly make: Make;
  readonly instance: number;
  /** Whether everything so far must be answered before this is asked. */
  readonly waits: boolean;
}

interface Play {
  readonly hasJobs: boolean;
  readonly asked: readonly Asked[];
}

const play: fc.Arbitrary<Play> = fc.record({
  hasJobs: fc.boolean(),
  asked: fc.array(fc.record({ make: anyCommand, instance: fc.nat(1), waits: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
    size: 'max',
  }),
});

interface Answered {
  readonly command: ModelCommand;
  readonly outcome: Outcome;
  readonly place: Place;
  /** In the order of asking. */
  readonly number: number;
}

interface Instance {
  readonly core: Core;
  readonly witness: Witness;
}

const FEW: Limits = { membersAtOnce: 1, changesAtOnce: 6, stepSize: 1 };
const database = useDatabase();
/** Two that make jobs of anything, a command a batch; and two with the real limits and batches. */
let withJobs: readonly Instance[];
let withBatches: readonly Instance[];

beforeAll(async () => {
  const start = async (more: { largestBatch?: number; changeLimits: Limits }) => {
    const witness = new Witness();
    const rules = { applyPatch: applyUserPatch };
    return {
      witness,
      core: new Core(await database.open(), { rules, wrap: witness.wrap, ...more }),
    };
  };
  const small = { largestBatch: 1, changeLimits: FEW };
  withJobs = [await start(small), await start(small)];
  withBatches = [await start({ changeLimits: LIMITS }), await start({ changeLimits: LIMITS })];
});

const ask = async (
  { core, witness }: Instance,
  tenant: Tenant,
  { command, number }: Pick<Answered, 'command' | 'number'>,
): Promise<readonly Answered[]> => {
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
    ? piecesOf({ command, outcome, number }, witness)
    : [{ command, outcome, number, place: witness.placeOf(commandId) }];
};

type AnsweredBulk = Pick<Answered, 'number'> & {
  readonly command: RunBulk;
  readonly outcome: Extract<Outcome, { readonly ok: true }>;
};

/** A Bulk that had to wait for a job which it began itself came true in more than one place. */
const piecesOf = (
  { command, outcome, number }: AnsweredBulk,
  witness: Witness,
): readonly Answered[] => {
  const outcomes = outcome.result as unknown as readonly BulkOutcome[];
  const pieces: { place: Place; operations: RunBulk['operations'][number][]; from: number }[] = [];
  for (const [at, operation] of command.operations.entries()) {
    const last = pieces.at(-1);
    const place = 'id' in operation ? witness.placeOf(operation.id) : last?.place;
    if (last && (place ?? last.place).version === last.place.version)
      last.operations.push(operation);
    else
      pieces.push({ place: place ?? witness.placeOf(newId()), operations: [operation], from: at });
  }
  const errorsBefore = (at: number): number =>
    outcomes.slice(0, at).filter((one) => one && 'refusal' in one).length;
  return pieces.map(({ place, operations, from }) => ({
    command: {
      ...command,
      operations,
      failOnErrors: command.failOnErrors && command.failOnErrors - errorsBefore(from),
    },
    outcome: { ...outcome, result: outcomes.slice(from, from + operations.length) as never },
    number,
    place,
  }));
};

/** The order in which the answers came true. */
const inOrder = (answers: readonly Answered[]): readonly Answered[] =>
  [...answers].sort(
    (one, other) =>
      one.place.version - other.place.version ||
      Number(one.place.isInCommit) - Number(other.place.isInCommit) ||
      one.number - other.number,
  );

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
  return (outcome.shows as readonly ({ code?: string } | null)[]).map(
    (one) => one && (one.code ?? 'done'),
  );
};

const stockOf = async ({ core: { collections } }: Instance, tenant: Tenant): Promise<Stock> => {
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
    jobParts: (await collections.jobParts.find(of).toArray()).map(fromJobPartDocument),
  };
};

const jobsToEnd = ({ core: { collections } }: Instance, { id }: Tenant) =>
  vi.waitFor(
    async () =>
      expect(await collections.jobs.countDocuments({ tenant: id, finishedAt: null })).toBe(0),
    { timeout: 20_000, interval: 10 },
  );

const expectSound = async ({ core: { collections } }: Instance, { id }: Tenant) => {
  const events = await collections.database
    .collection<{ seq: number; name: string; data: object }>('events')
    .find({ tenant: id })
    .sort({ seq: 1 })
    .toArray();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expectSoundLog(events.map(({ name, data }) => ({ name, data })));
};

const playTo = async (
  instances: readonly Instance[],
  tenant: Tenant,
  { asked }: Play,
): Promise<readonly Answered[]> => {
  const cast = new Cast(newId);
  const answers: Promise<readonly Answered[]>[] = [];
  const first = instances[0]!;
  for (const command of opening(cast)) {
    answers.push(ask(first, tenant, { command, number: answers.length }));
    await answers.at(-1);
  }
  for (const { make, instance, waits } of asked) {
    if (waits) await Promise.all(answers);
    const command = make(cast);
    answers.push(ask(instances[instance]!, tenant, { command, number: answers.length }));
  }
  return inOrder((await Promise.all(answers)).flat());
};

const agrees = async (given: Play): Promise<void> => {
  const instances = given.hasJobs ? withJobs : withBatches;
  const first = instances[0]!;
  const tenant = await first.core.makeTenant();
  const answers = await playTo(instances, tenant, given);
  try {
    const reference = new ReferenceOrganisation(null);
    for (const answered of answers)
      expect(codesOf(answered.outcome, answered.command)).toEqual(
        expectedCodes(reference, answered.command),
      );
    await jobsToEnd(first, tenant);
    expect(summaryOfStock(await stockOf(first, tenant))).toEqual(summaryOfReference(reference));
    await expectSound(first, tenant);
  } catch (error) {
    const said = answers
      .slice(11)
      .map(({ command, outcome, place }) =>
        JSON.stringify([place, codesOf(outcome, command), command]),
      );
    throw new Error(said.join('\n'), { cause: error });
  }
};

/** `MODEL_RUNS=1000 npx vitest run test/journeys/model-on-mongo.test.ts` for the long form. */
const RUNS = Number(process.env.MODEL_RUNS ?? 25);

describe('two instances that are asked anything, with jobs and in batches', () => {
  it(
    'come to what one command after the other comes to',
    async () => {
      await fc.assert(fc.asyncProperty(play, agrees), { numRuns: RUNS, endOnFailure: RUNS > 100 });
    },
    90_000 + RUNS * 2_000,
  );
});
