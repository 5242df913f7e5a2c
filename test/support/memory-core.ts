import type { Command, Envelope, RunBulk } from '../../src/domain/commands.js';
import { isRefused, type Rules } from '../../src/domain/decide/decider.js';
import { type Limits, LIMITS } from '../../src/domain/decide/limits.js';
import type { NewEvent } from '../../src/domain/events.js';
import type { CommandId } from '../../src/domain/ids.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { outcomeAtOnce, outcomeOf } from '../../src/pipeline/announce.js';
import type { Arrival, Judged } from '../../src/pipeline/batch.js';
import { commit } from '../../src/pipeline/commit.js';
import { deliberate } from '../../src/pipeline/deliberate.js';
import { type Preview, previewWith } from '../../src/pipeline/preview.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import { aTenant, idOf, TENANT_ID } from './builders.js';
import { NO_SUBSCRIBERS } from './core.js';
import { MemoryCommitStore } from './memory-commit-store.js';

const RULES: Rules = { applyPatch: (profile) => profile, pluginRule: () => undefined };

const failing = (fields: object, message: string): never => {
  throw new Error(message, { cause: fields });
};
/** A fault of ours fails the test, instead of being answered with INTERNAL. */
const LOG = { warn: failing, error: failing };

const MOST_ROUNDS = 1_000;

/** What became of one command of a batch. */
export interface Answer {
  readonly outcome: Outcome;
  /** What the caller is told where nobody waits: of a Bulk the rest is refused. */
  readonly outcomeAtOnce: Outcome;
  /** What of a Bulk has to wait for a job that the Bulk began. */
  readonly rest?: RunBulk;
  /** It changed nothing yet: it has to wait for a job. */
  readonly isPostponed: boolean;
  /** The events that its own commit brought. */
  readonly events: readonly NewEvent[];
}

/** The pipeline's own stages over a store in memory, a batch at a time, with no clock and no lane. */
export class MemoryCore {
  readonly store = new MemoryCommitStore();
  readonly #stages;
  readonly #preview;
  #asked = 0;

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
    const all = { ...RULES, ...rules };
    this.#stages = {
      deliberate: deliberate({ store: this.store, rules: all, log: LOG, limits }),
      commit: commit(this.store, NO_SUBSCRIBERS),
    };
    this.#preview = previewWith({ store: this.store, rules: all, log: LOG, limits });
  }

  /** Carries these commands out in one commit. */
  async run(...commands: readonly Command[]): Promise<readonly Answer[]> {
    const judged = await this.#judge(commands.map((command) => this.#arrivalOf(command)));
    return judged.map(({ verdict, rest }) => ({
      outcome: outcomeOf(verdict),
      outcomeAtOnce: outcomeAtOnce({ verdict, ...(rest && { rest }) }),
      ...(rest && { rest: rest.command }),
      isPostponed: isRefused(verdict) && verdict.postponed === true,
      events: isRefused(verdict) ? [] : verdict.events,
    }));
  }

  async one(command: Command): Promise<Answer> {
    const [answer] = await this.run(command);
    return answer!;
  }

  /** As if it were the next that is run. */
  preview(command: Command): Promise<Preview> {
    const { id: commandId, ...submission } = this.#envelopeOf(command, this.#asked + 1);
    return this.#preview({ ...submission, commandId });
  }

  hasJobs(): boolean {
    return this.#jobs.length > 0;
  }

  /** Of those that are not done. */
  jobIds(): readonly string[] {
    return this.#jobs.map(({ id }) => id);
  }

  /** One step of each job that is not done; answers with the events. */
  async step(): Promise<readonly NewEvent[]> {
    const events: NewEvent[] = [];
    for (const { id } of this.#jobs)
      events.push(...(await this.one({ type: 'job.step', jobId: id })).events);
    return events;
  }

  async finishJobs(): Promise<readonly NewEvent[]> {
    const events: NewEvent[] = [];
    for (let round = 0; this.hasJobs(); round += 1) {
      if (round > MOST_ROUNDS) throw new Error('A job does not end.');
      events.push(...(await this.step()));
    }
    return events;
  }

  get #jobs() {
    return this.store.all('jobs').filter(({ finishedAt }) => finishedAt === null);
  }

  async #judge(arrivals: readonly Arrival[]): Promise<readonly Judged[]> {
    const batch = { tenantId: TENANT_ID, arrivals, conflicts: 0, replays: 0 };
    const { deliberate: judge, commit: write } = this.#stages;
    return (await write(await judge(batch))).judged;
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
    this.#asked += 1;
    const envelope = this.#envelopeOf(command, this.#asked);
    return { envelope, weight: 1, bytes: 0, receivedAt: 0, answer: () => undefined };
  }
}
