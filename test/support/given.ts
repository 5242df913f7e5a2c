import { expect } from 'vitest';
import type { Command, Results, RunBulk } from '../../src/domain/commands.js';
import { deciderOf } from '../../src/domain/command-catalogue.js';
import { runSync } from '../../src/domain/kernel/chunked.js';
import {
  type Accepted,
  isRefused,
  type Limits,
  type Rules,
  type Decision,
} from '../../src/domain/kernel/decider.js';
import type { NewEvent } from '../../src/domain/events.js';
import type { RefusalCode } from '../../src/domain/kernel/refusals.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import type { Change, Entities, TableName } from '../../src/domain/tables.js';
import { netOf } from '../../src/pipeline/workspace.js';
import { factsOver, type KnownEntities } from './array-facts.js';
import { aTenant, envelopeOf } from './builders.js';
import { decideSync } from './decide-sync.js';

const NO_RULES: Rules = {
  pluginRule: () => undefined,
};

type Given = KnownEntities & {
  readonly tenant?: Tenant | undefined;
  readonly limits?: Limits;
  readonly changeCount?: number;
};

const factsOf = ({ limits, changeCount, ...given }: Given) =>
  factsOver({
    known: given,
    tenant: 'tenant' in given ? given.tenant : aTenant(),
    ...(limits && { limits }),
    ...(changeCount === undefined ? {} : { changeCount }),
  });

/** `given({ users: […] }).when({ type: 'user.delete', … }).thenEvents('user.deleted')` */
export const given = (known: Given, rules: Partial<Rules> = {}) => ({
  when: <C extends Exclude<Command, RunBulk>>(
    command: C,
    context: Parameters<typeof envelopeOf>[1] = {},
  ) =>
    new Then(
      decideSync(
        deciderOf(command.type).decide(
          envelopeOf(command as never, context) as never,
          factsOf(known),
          { ...NO_RULES, ...rules },
        ),
      ) as Decision<Results[C['type']]>,
    ),
});

class Then<Result> {
  constructor(private readonly verdict: Decision<Result>) {}

  get events(): readonly NewEvent[] {
    return this.#decision.events;
  }

  thenRefused(code: RefusalCode, saying = ''): this {
    expect(isRefused(this.verdict) ? this.verdict.refusal.code : 'accepted').toBe(code);
    if (isRefused(this.verdict)) expect(this.verdict.refusal.message).toContain(saying);
    return this;
  }

  thenEvents(...names: readonly string[]): this {
    expect(this.#decision.events.map(({ name }) => name)).toEqual(names);
    return this;
  }

  /** What the events are about: those of one resource are delivered in order. */
  thenResources(...expected: readonly NewEvent['resource'][]): this {
    expect(this.#decision.events.map(({ resource }) => resource)).toEqual(expected);
    return this;
  }

  thenNothingHappens(): this {
    expect(this.#decision.changes).toEqual([]);
    return this.thenEvents();
  }

  thenResult(expected: object): this {
    expect(this.#decision.result).toMatchObject(expected);
    return this;
  }

  /** Compares what it decides besides changes, events and result. */
  thenDecides(expected: Partial<Accepted<Result>>): this {
    expect(this.#decision).toMatchObject(expected);
    return this;
  }

  thenTenant(expected: Partial<Tenant>): this {
    const change = this.#decision.changes.find(({ table }) => table === 'tenant');
    expect(change?.after).toMatchObject(expected);
    return this;
  }

  /** The changed entities of a table in their final state; null for a deleted one. */
  thenAfter<T extends TableName>(
    table: T,
    ...expected: readonly (Partial<Entities[T]> | null)[]
  ): this {
    expect(this.after(table)).toMatchObject(expected);
    return this;
  }

  after<T extends TableName>(table: T): readonly (Entities[T] | null)[] {
    return this.#netOf(table).map(({ after }) => after as Entities[T] | null);
  }

  thenRefusalSays(expected: object): this {
    expect(isRefused(this.verdict) ? this.verdict : undefined).toMatchObject(expected);
    return this;
  }

  /** The command has to wait for a job. */
  thenPostponed(): this {
    return this.thenRefusalSays({ postponed: true, refusal: { code: 'UNAVAILABLE' } });
  }

  /** Compares the data of the first event with this name. */
  thenData(name: string, expected: object): this {
    const event = this.#decision.events.find((candidate) => candidate.name === name);
    expect(event?.data).toEqual(expected);
    return this;
  }

  #netOf(table: TableName): readonly Change[] {
    return runSync(netOf(this.#decision.changes)).filter((change) => change.table === table);
  }

  get #decision() {
    if (isRefused(this.verdict)) expect.fail(`refused: ${this.verdict.refusal.message}`);
    return this.verdict;
  }
}
