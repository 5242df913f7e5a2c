import type { Tenant } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { Gateway } from '../run/gateway.js';
import { createIdSet, type IdSet } from '../id-set.js';
import type { ConnectorMemory, RunRecord } from '../run/run-record.js';
import { effectsOf, isAbsence, type Tallies } from './effects.js';
import {
  dangersOfDay,
  enoughUsers,
  findDangers,
  type GuardFacts,
  type GuardFinding,
  type PlanCounts,
} from './find-dangers.js';

interface GuardParts {
  readonly store: ConnectorStore;
  readonly gateway: Gateway;
  readonly compiled: CompiledConnector;
  readonly run: Pick<RunRecord, 'id' | 'mode'>;
  readonly memory: ConnectorMemory;
  readonly tenant: Tenant;
  /** Of the plan. */
  readonly at: Date;
}

const DAY_MS = 86_400_000;

/** Why a plan that is stored must not be applied without approval. */
export const guardPlan = async (
  counts: PlanCounts,
  parts: GuardParts,
): Promise<readonly GuardFinding[]> => {
  const { compiled, run, memory, tenant, at } = parts;
  const { safety } = compiled.options;
  const entries = memory.ledger.filter(
    (entry) => entry.runId !== run.id && Date.parse(entry.at) > at.getTime() - DAY_MS,
  );
  const recent = sumOf(
    entries.map(({ tallies = {}, deactivations, emailChanges }) => ({
      ...tallies,
      deactivations,
      emails: emailChanges,
    })),
  );
  const factsFor = async (recently: Tallies): Promise<GuardFacts> => ({
    ...(await countUsers(counts, recently, parts)),
    mode: run.mode,
    recent: recently,
    seats: tenant,
    now: at,
    lastRunAt: memory.lastRunAt === null ? null : new Date(memory.lastRunAt),
  });
  const facts = await factsFor(recent);
  const repeated = dangersOfDay(counts, facts, safety);
  if (repeated.length === 0) return findDangers(counts, facts, safety);
  const runs = entries.map(({ runId }) => runId);
  const exact = { ...recent, ...(await countOthers(repeated, runs, parts)) };
  return findDangers(counts, await factsFor(exact), safety);
};

const sumOf = (all: readonly Tallies[]): Tallies => {
  const sum: Record<string, number> = {};
  for (const tallies of all)
    for (const [key, count = 0] of Object.entries(tallies)) sum[key] = (sum[key] ?? 0) + count;
  return sum;
};

/** Counts links and active users, as they were a day ago, as far as their number matters. */
const countUsers = async (
  counts: PlanCounts,
  recent: Tallies,
  { store, gateway, compiled, run }: GuardParts,
): Promise<Pick<GuardFacts, 'links' | 'population'>> => {
  const isEmpty = run.mode === 'full' && counts.records === 0;
  const enough = isEmpty ? Infinity : enoughUsers(counts, recent, compiled.options.safety);
  let links = 0;
  // Those who left since are part of what is added up.
  let population = recent.deactivations ?? 0;
  if (enough === 0) return { links, population };
  for await (const page of store.linkStates.pages()) {
    links += page.length;
    const ids = page.flatMap(({ state, userId }) => (state === 'active' && userId) || []);
    for (const [user] of (await gateway.findUsers('id', ids)).values())
      if (user?.profile.active) population += 1;
    if (population >= enough) break;
  }
  return { links, population };
};

/** Users changed by other runs and not by this one, by what was done to them; each once. */
const countOthers = async (
  keys: readonly string[],
  otherRuns: readonly string[],
  { store, run }: GuardParts,
): Promise<Tallies> => {
  const seen = new Map<string, IdSet>(keys.map((key) => [key, createIdSet()]));
  const counted: Record<string, number> = Object.fromEntries(keys.map((key) => [key, 0]));
  for (const runId of [run.id, ...otherRuns])
    for await (const page of store.itemPages(runId))
      for (const { item } of page) {
        // An absence of another run has led to nothing yet.
        if (runId !== run.id && isAbsence(item)) continue;
        for (const key of effectsOf(item)) {
          const isNew = seen.get(key)?.add(item.userId ?? item.sourceId) === true;
          if (isNew && runId !== run.id) counted[key] = (counted[key] ?? 0) + 1;
        }
      }
  return counted;
};
