import { randomUUID } from 'node:crypto';
import { readUsage } from '../../shared/process-usage.js';
import { openBacklog } from '../drain/backlog.js';
import { openBareSender } from '../drain/bare-sender.js';
import type { BenchOptions } from '../options.js';
import { type BenchContext } from './bench-context.js';
import { openWebhooks, type Webhooks } from './open-webhooks.js';
import type { DrainRound, Drains } from './results.js';
import { rotate } from './run-workloads.js';

/** Attempts in flight of one sender. */
const CONCURRENCY = 64;
const CASES = [
  { name: 'a bare sender', registrations: 0 },
  { name: 'drain to 1', registrations: 1 },
  { name: 'drain to 20', registrations: 20 },
];
type Case = (typeof CASES)[number];

/** Compiles the code and opens the connections. */
const WARM_UP_SHARE = 0.1;
/** Each takes many seconds. */
const MAX_ROUNDS = 3;
const TIMEOUT_MS = 600_000;

/**
 * Measures how fast the event stream drains a backlog, beside signing and sending the same number of
 * events without it. Both run in this process, the receiver in another one.
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
      context.report(`webhooks-drain: round ${round + 1}, ${each.name}`);
    }
  }
  return results.map(({ each, rounds: measured }) => {
    return { name: each.name, deliveries: backlog, rounds: measured };
  });
};

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
  const target = { uri: database.uriOf(name), url: urlOf(path), ca, concurrency: CONCURRENCY };
  const sending =
    each.registrations === 0
      ? openBareSender({ ...target, deliveries })
      : await openBacklog({ ...target, registrations: each.registrations, deliveries });
  try {
    const [cpu, mongod] = [process.cpuUsage(), await readUsage(database.pid)];
    const began = performance.now();
    sending.start();
    const expected = { path, count: deliveries, withinMs: TIMEOUT_MS };
    const { distinct } = await receiver.call('waitFor', expected);
    const seconds = (performance.now() - began) / 1_000;
    if (distinct !== deliveries)
      throw new Error(`${each.name}: ${distinct} of ${deliveries} deliveries arrived.`);
    await sending.drained();
    const { user, system } = process.cpuUsage(cpu);
    const databaseMs = (await readUsage(database.pid)).cpuMs - mongod.cpuMs;
    return {
      rate: deliveries / seconds,
      cpuMicros: (user + system) / deliveries,
      databaseMicros: (databaseMs * 1_000) / deliveries,
    };
  } finally {
    await sending.close();
  }
};
