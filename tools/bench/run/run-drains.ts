import { randomUUID } from 'node:crypto';
import { readUsage } from '../../shared/process-usage.js';
import { openBacklog } from '../drain/backlog.js';
import type { BenchOptions } from '../options.js';
import { type BenchContext } from './bench-context.js';
import { openWebhooks, type Webhooks } from './open-webhooks.js';
import type { DrainRound, Drains } from './results.js';
import { rotate } from './run-workloads.js';

/** Events per commit. */
const [SMALL_COMMIT, LARGE_COMMIT] = [40, 500];
const CASES = [1, 20].flatMap((registrations) =>
  [SMALL_COMMIT, LARGE_COMMIT].map((batch) => ({ registrations, batch })),
);
type Case = (typeof CASES)[number];

/** Compiles the code and opens the connections. */
const WARM_UP_SHARE = 0.1;
/** Each takes many seconds. */
const MAX_ROUNDS = 3;
const TIMEOUT_MS = 600_000;

/**
 * Measures how fast the event stream drains a backlog. It runs in this process, the receiver in
 * another one.
 */
export const runDrains = async (
  context: BenchContext,
  { rounds, backlog }: Pick<BenchOptions, 'rounds' | 'backlog'>,
): Promise<readonly Drains[]> => {
  const webhooks = context.webhooks ?? (await openWebhooks(context.folder, context.cleanup));
  const results = CASES.map((each) => ({ each, rounds: [] as DrainRound[] }));
  for (const each of CASES)
    await drain(context, webhooks, each, Math.ceil(backlog * WARM_UP_SHARE));
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round += 1) {
    for (const { each, rounds: measured } of rotate(results, round)) {
      measured.push(await drain(context, webhooks, each, backlog));
      context.report(`webhooks-drain: round ${round + 1}, ${nameOf(each)}`);
    }
  }
  return results.map(({ each, rounds: measured }) => {
    return { name: nameOf(each), deliveries: backlog, rounds: measured };
  });
};

const nameOf = ({ registrations, batch }: Case): string =>
  `drain to ${registrations}, commits of ${batch}`;

/** Rate until the receiver has all deliveries; CPU until they are recorded. */
const drain = async (
  { database }: BenchContext,
  { receiver, urlOf, ca }: Webhooks,
  each: Case,
  deliveries: number,
): Promise<DrainRound> => {
  const name = `drain-${randomUUID()}`;
  const path = `/${name}`;
  await receiver.call('addPath', { path });
  const target = { uri: database.uriOf(name), url: urlOf(path), ca };
  const backlog = await openBacklog({ ...target, ...each, deliveries });
  try {
    const [cpu, mongod] = [process.cpuUsage(), await readUsage(database.pid)];
    const began = performance.now();
    backlog.engine.start();
    const expected = { path, count: deliveries, withinMs: TIMEOUT_MS };
    const { distinct } = await receiver.call('waitFor', expected);
    const seconds = (performance.now() - began) / 1_000;
    if (distinct !== deliveries)
      throw new Error(`${nameOf(each)}: ${distinct} of ${deliveries} deliveries arrived.`);
    await backlog.drained();
    const { user, system } = process.cpuUsage(cpu);
    const databaseMs = (await readUsage(database.pid)).cpuMs - mongod.cpuMs;
    return {
      rate: deliveries / seconds,
      cpuMicros: (user + system) / deliveries,
      databaseMicros: (databaseMs * 1_000) / deliveries,
    };
  } finally {
    await backlog.close();
  }
};
