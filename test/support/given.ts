import { expect } from 'vitest';
import type { Command, Results } from '../../src/domain/commands.js';
import { DECIDERS } from '../../src/domain/decide/deciders.js';
import {
  type Facts,
  isRefused,
  type Rules,
  type Verdict,
} from '../../src/domain/decide/decider.js';
import type { RefusalCode } from '../../src/domain/refusals.js';
import { type Entities, TABLES } from '../../src/domain/tables.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { aTenant, envelopeOf, NOW } from './builders.js';

interface Known {
  readonly tenant?: Tenant | undefined;
  readonly users?: readonly Entities['users'][];
  readonly apiKeys?: readonly Entities['apiKeys'][];
  readonly pluginRecords?: readonly Entities['pluginRecords'][];
  readonly tenants?: readonly Entities['tenants'][];
  readonly rememberedAnswers?: readonly Entities['rememberedAnswers'][];
}

const NO_RULES: Rules = {
  applyPatch: () => {
    throw new Error('This test patches nothing.');
  },
  pluginRule: () => undefined,
};

/** Facts that know everything that is given, and that nothing else exists. */
const factsOf = (known: Known): Facts => {
  const list: Facts['list'] = (table, index, key) => {
    const { keyOf } = TABLES[table][index] as { keyOf: (entity: unknown) => string | null };
    return (known[table] ?? []).filter((entity) => keyOf(entity) === key) as never;
  };
  return {
    now: NOW,
    tenant: 'tenant' in known ? known.tenant : aTenant(),
    list,
    find: (table, index, key) => list(table, index, key)[0],
  };
};

/** `given({ users: […] }).when({ type: 'user.delete', … }).thenEvents('user.deleted')` */
export const given = (known: Known, rules: Partial<Rules> = {}) => ({
  when: <C extends Command>(command: C) =>
    new Then(
      DECIDERS[command.type].decide(envelopeOf(command as never) as never, factsOf(known), {
        ...NO_RULES,
        ...rules,
      }) as Verdict<Results[C['type']]>,
    ),
});

class Then<Result> {
  constructor(private readonly verdict: Verdict<Result>) {}

  thenRefused(code: RefusalCode): this {
    expect(isRefused(this.verdict) ? this.verdict.refusal.code : 'accepted').toBe(code);
    return this;
  }

  thenEvents(...names: readonly string[]): this {
    expect(this.#decision.events.map(({ name }) => name)).toEqual(names);
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

  thenTenant(expected: Partial<Tenant>): this {
    const change = this.#decision.changes.find(({ table }) => table === 'tenant');
    expect(change?.after).toMatchObject(expected);
    return this;
  }

  /** The data of the event of this name. */
  thenData(name: string, expected: object): this {
    const event = this.#decision.events.find((candidate) => candidate.name === name);
    expect(event?.data).toEqual(expected);
    return this;
  }

  get #decision() {
    if (isRefused(this.verdict)) expect.fail(`refused: ${this.verdict.refusal.message}`);
    return this.verdict;
  }
}
