import type { Cleanup } from '../../tooling/cleanup.js';
import { UNSETTLED } from './run-crash.js';
import { seededRandom } from './seeded-random.js';
import type { Blow, ThreeMembers } from './three-members.js';
import {
  type Harm,
  type LoadPlan,
  type LoadReport,
  type Recoveries,
  runUnderLoad,
  type Target,
} from './under-load.js';
import { until } from './until.js';

export interface FailoverPlan extends Omit<
  LoadPlan,
  'mostRepeats' | 'mostForgotten' | 'mongodbUri'
> {
  readonly database: ThreeMembers;
  readonly failovers: number;
  /** What is done to the primary: each in its turn. */
  readonly blows: readonly [Blow, ...Blow[]];
  readonly told: (failover: Failover) => void;
}

export interface Failover {
  readonly number: number;
  readonly blow: Blow;
  /** Users that were acknowledged when it came. */
  readonly acknowledged: number;
  /** Until the database took writes again. */
  readonly outageMs: number;
  /** From then until every tenant was answered again. */
  readonly recoveryMs: number;
}

export interface Failovers extends Recoveries {
  readonly failovers: readonly Failover[];
}

export type FailoverReport = LoadReport & Failovers;

/** No blow comes in the last part of the load, so that each meets commands that are under way. */
const LOADED = 0.9;

/** Takes the database's primary away at random moments, each in its own stretch of the load. */
const failAgainAndAgain = (
  { database, failovers, blows, seed, creates, told }: FailoverPlan,
  { first, ledger, tenants }: Target,
): Harm<Failovers> => {
  const random = seededRandom(seed);
  const stuck = (): string =>
    [`Nothing got on after ${ledger.acknowledged()} creates.`, first.lastWords()].join('\n');

  const fail = async (number: number): Promise<Failover> => {
    const from = ((number - 1 + random()) / failovers) * LOADED * creates;
    await until(() => ledger.acknowledged() >= from, stuck);
    const acknowledged = ledger.acknowledged();
    if (acknowledged === creates) throw new Error(`Blow ${number} met no load.`);
    const blow = blows[(number - 1) % blows.length] ?? blows[0];
    const { outageMs, bringBack } = await database.failOver(blow);
    const ableAt = performance.now();
    await until(() => tenants.every((slug) => ledger.isServedSince(slug, ableAt)), stuck);
    const failover = {
      number,
      blow,
      acknowledged,
      outageMs,
      recoveryMs: performance.now() - ableAt,
    };
    told(failover);
    await bringBack();
    return failover;
  };

  const run = async (): Promise<Failovers> => {
    const done: Failover[] = [];
    for (let number = 1; number <= failovers; number += 1) done.push(await fail(number));
    return { failovers: done, recoveriesMs: done.map(({ recoveryMs }) => recoveryMs) };
  };
  return { gateway: () => first, over: run() };
};

/** Users are made by many clients while the database loses its primary again and again. */
export const runFailover = (plan: FailoverPlan, cleanUp: Cleanup): Promise<FailoverReport> =>
  runUnderLoad(
    {
      ...plan,
      mongodbUri: plan.database.uri,
      mostRepeats: plan.failovers * plan.tenants * UNSETTLED,
      mostForgotten: plan.failovers * plan.tenants * UNSETTLED,
    },
    (target) => failAgainAndAgain(plan, target),
    cleanUp,
  );
