import type { Command, Envelope, RunBulk } from '../../src/domain/commands.js';
import { isRefused, LIMITS, type Limits, type Rules } from '../../src/domain/kernel/decider.js';
import type { NewEvent } from '../../src/domain/events.js';
import type { CommandId } from '../../src/domain/kernel/ids.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { previewOutcome } from '../../src/pipeline/announce.js';
import type { Arrival, DecidedArrival } from '../../src/pipeline/batch.js';
import { commit } from '../../src/pipeline/commit.js';
import { gatherAndDecide } from '../../src/pipeline/gather-and-decide.js';
import { type Preview, createPreview } from '../../src/pipeline/preview.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import { aTenant, idOf, TENANT_ID } from './builders.js';
import { PASSIVE_RULES } from './no-plugins.js';
import { MemoryCommitStore } from './memory-commit-store.js';

const throwInstead = (fields: object, message: string): never => {
  throw new Error(message, { cause: fields });
};
/** Makes internal errors fail the test instead of becoming INTERNAL. */
const LOG = { warn: throwInstead, error: throwInstead };

const MAX_ROUNDS = 1_000;

/** The result of one command of a batch. */
export interface CommandResult {
  readonly outcome: Outcome;
  /** The outcome without waiting for jobs: the remaining operations of a Bulk are refused. */
  readonly outcomeAtOnce: Outcome;
  /** The operations of a Bulk that must wait for a job that it started. */
  readonly rest?: RunBulk;
  /** Whether the command must wait for a job; it has changed nothing yet. */
  readonly isPostponed: boolean;
  /** The events of its own commit. */
  readonly events: readonly NewEvent[];
}

/** The stages of the pipeline over a store in memory; runs one batch at a time, without lanes. */
export class MemoryPipeline {
  readonly store = new MemoryCommitStore();
  readonly #stages;
  readonly #preview;
  #submitted = 0;

  constructor({
    tenant = {},
    rules = {},
    limits = LIMITS,
  }: {
    readonly tenant?: Partial<Tenant>;
    readonly rules?: Partial<Rules>;
    readonly limits?: Limits;
  } = {}) {
    this.store.tenant = aTenant(tenant);
    const all = { ...PASSIVE_RULES, ...rules };
    this.#stages = {
      deliberate: gatherAndDecide({ store: this.store, rules: all, log: LOG, limits }),
      commit: commit(this.store),
    };
    this.#preview = createPreview({ store: this.store, rules: all, log: LOG, limits });
  }

  /** Runs these commands in one commit. */
  async run(...commands: readonly Command[]): Promise<readonly CommandResult[]> {
    const judged = await this.#judge(commands.map((command) => this.#arrivalOf(command)));
    return judged.map(({ decision, rest }) => ({
      outcome: previewOutcome({ decision }),
      outcomeAtOnce: previewOutcome({ decision, ...(rest && { rest }) }),
      ...(rest && { rest: rest.command }),
      isPostponed: isRefused(decision) && decision.postponed === true,
      events: isRefused(decision) ? [] : decision.events,
    }));
  }

  async runOne(command: Command): Promise<CommandResult> {
    const [result] = await this.run(command);
    return result!;
  }

  /** Previews the command as the next one to run. */
  preview(command: Command): Promise<Preview> {
    const { id: commandId, ...submission } = this.#envelopeOf(command, this.#submitted + 1);
    return this.#preview({ ...submission, commandId });
  }

  hasJobs(): boolean {
    return this.#jobs.length > 0;
  }

  /** The ids of unfinished jobs. */
  jobIds(): readonly string[] {
    return this.#jobs.map(({ id }) => id);
  }

  /** Runs one step of each unfinished job and returns the events. */
  async step(): Promise<readonly NewEvent[]> {
    const events: NewEvent[] = [];
    for (const { id } of this.#jobs)
      events.push(...(await this.runOne({ type: 'job.step', jobId: id })).events);
    return events;
  }

  async finishJobs(): Promise<readonly NewEvent[]> {
    const events: NewEvent[] = [];
    for (let round = 0; this.hasJobs(); round += 1) {
      if (round > MAX_ROUNDS) throw new Error('A job does not finish.');
      events.push(...(await this.step()));
    }
    return events;
  }

  get #jobs() {
    return this.store.all('jobs').filter(({ finishedAt }) => finishedAt === null);
  }

  async #judge(arrivals: readonly Arrival[]): Promise<readonly DecidedArrival[]> {
    const batch = { tenantId: TENANT_ID, arrivals, conflicts: 0 };
    const { deliberate: judge, commit: write } = this.#stages;
    return (await write(await judge(batch))).decisions;
  }

  #envelopeOf(command: Command, number: number): Envelope {
    return {
      id: idOf<CommandId>(0xc000_0000 + number),
      tenantId: TENANT_ID,
      actor: { kind: 'operator', name: 'test' },
      source: 'admin',
      requestId: 'request-1',
      command,
    };
  }

  #arrivalOf(command: Command): Arrival {
    this.#submitted += 1;
    const envelope = this.#envelopeOf(command, this.#submitted);
    return { envelope, weight: 1, bytes: 0, receivedAt: 0, resolve: () => undefined };
  }
}
