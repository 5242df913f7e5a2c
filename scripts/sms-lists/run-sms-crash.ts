import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { openScene } from '../crash/scene.js';
import { seededRandom } from '../crash/seeded-random.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { openCountingReceiver } from '../large-group/counting-receiver.js';
import { watchJobs } from '../large-group/watch-jobs.js';
import { type Ask, clientOf, makeList, numberOf } from './list-client.js';
import { readSmsStock } from './sms-stock.js';

export interface SmsCrashPlan {
  readonly mongodbUri: string;
  /** Members of the list; a PUT takes half of them away and brings as many. */
  readonly members: number;
  readonly seed: number;
  readonly told: (line: string) => void;
}

export interface SmsCrashReport {
  /** Events that happened, each delivered. */
  readonly events: number;
  /** Deliveries that came again under their id. */
  readonly repeats: number;
  readonly problems: readonly string[];
}

/** A PUT is sent again until it is answered: so long at most, in milliseconds. */
const PATIENCE_MS = 120_000;
/** The gateway is killed so long after the PUT was sent, at random: often before it is answered. */
const LATEST_KILL_MS = 1_500;

/** No windows: a sweep of those that have ended would take numbers away meanwhile. */
const plainFrom = (from: number, to: number): readonly object[] =>
  Array.from({ length: to - from }, (_, at) => ({ phone_number: numberOf(from + at) }));

interface Counts {
  readonly members_added: number;
  readonly members_removed: number;
}

const untilAnswered = async (ask: () => ReturnType<Ask>): Promise<unknown> => {
  const latest = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return (await ask()).body;
    } catch (error) {
      if (performance.now() > latest) throw error;
      await pause(100);
    }
  }
};

/**
 * A large SMS list is put to another half and deleted while the gateway is killed: in the middle of
 * the request, and in the middle of both jobs. Tells what is not as it has to be afterwards.
 */
export const runSmsCrash = async (
  { mongodbUri, members, seed, told }: SmsCrashPlan,
  cleanUp: Cleanup,
): Promise<SmsCrashReport> => {
  const scene = await openScene(mongodbUri, cleanUp);
  let gateway = await scene.start();
  const tenant = await scene.makeSilentTenant(gateway.url, 'numbers');
  const receiver = await openCountingReceiver(scene.identity);
  cleanUp.defer(receiver.close);
  await scene.subscribe(gateway.url, tenant, `${receiver.url}/numbers`);
  const ask = clientOf(() => `${gateway.url}/v1/${tenant.slug}`, tenant.key);
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  cleanUp.defer(() => client.close());
  const [jobs, stock] = [
    watchJobs(client.db(), tenant.id),
    readSmsStock(client.db(), tenant.id, ask),
  ];

  const killAndStart = async (): Promise<void> => {
    gateway.signal('SIGKILL');
    await gateway.ended;
    gateway = await scene.start();
  };

  told(`Making a list of ${members} numbers …`);
  const path = await makeList(ask, members, plainFrom);
  const half = Math.floor(members / 2);
  const put = () => ask('PUT', `${path}/members`, { members: plainFrom(half, members + half) });

  const first = put().then(
    ({ body }) => body,
    () => undefined,
  );
  await pause(seededRandom(seed)() * LATEST_KILL_MS);
  await killAndStart();
  told(`  the PUT was ${(await first) ? 'answered, then killed' : 'killed, then sent again'}`);
  // A response waits for its job, so what is killed in the middle is the request as well.
  const second = first.then((body) => body ?? untilAnswered(put));
  await jobs.halfway(second);
  await killAndStart();
  told('  … killed in the middle of what is left of it');
  const counts = (await second) as Counts;
  await jobs.settled();
  const problems = [...(await stock.faultsOfList(path, [half, members + half]))];

  const deleted = untilAnswered(() => ask('DELETE', path).catch(gone));
  await jobs.halfway(deleted);
  await killAndStart();
  told('  … and in the middle of the DELETE');
  await deleted;
  await jobs.settled();
  problems.push(...(await stock.faultsOfEvents({ members, half, counts })));

  const owed = await stock.events();
  const latest = performance.now() + PATIENCE_MS;
  while (receiver.events() < owed && performance.now() < latest) await pause(100);
  if (receiver.events() !== owed) problems.push(`${receiver.events()} of ${owed} events came`);
  if (receiver.doubles() > 0) problems.push(`${receiver.doubles()} events came under two ids`);
  return { events: owed, repeats: receiver.repeats(), problems };
};

/** A DELETE whose answer was lost finds nothing the second time. */
const gone = (error: unknown): { readonly body: null; readonly ms: number } => {
  const { response } = error as { readonly response?: { readonly statusCode: number } };
  if (response?.statusCode === 404) return { body: null, ms: 0 };
  throw error;
};
