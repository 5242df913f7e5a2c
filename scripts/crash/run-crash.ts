import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import type { CleanUp } from '../demo/clean-up.js';
import type { ReceivedRequest } from '../receiver/https-receiver.js';
import { ask, type ClientParts, runClient } from './clients.js';
import { type Kill, type Reckoning, reign } from './killer.js';
import { type Entry, type Ledger, openLedger } from './ledger.js';
import { openScene, type Scene, type TenantAccess } from './scene.js';
import { seededRandom } from './seeded-random.js';
import { takeStock } from './stock-taking.js';
import { type Acknowledged, judge, type Received, type Verdict } from './verdict.js';

export interface CrashPlan {
  readonly mongodbUri: string;
  readonly creates: number;
  readonly clients: number;
  readonly kills: number;
  readonly tenants: number;
  readonly seed: number;
  readonly told: (kill: Kill) => void;
}

export interface CrashReport extends Verdict, Reckoning {
  /** Requests that were not answered, or with "not now". */
  readonly retries: number;
  /** Until the slowest create was answered, its first request to its last. */
  readonly slowestMs: number;
}

/** Writes go on this long after a restart at the latest (reliability facts, P3). */
const RECOVERY_MS = 10_000;
/** Of one registration: attempts under way, and endings that are not written yet. */
const UNSETTLED = 8 + 8;
const DELIVERED_MS = 90_000;

/** Users are made by many clients while the gateway is killed again and again (P1 to P4). */
export const runCrash = async (plan: CrashPlan, cleanUp: CleanUp): Promise<CrashReport> => {
  const scene = await openScene(plan.mongodbUri, cleanUp);
  const first = await scene.start();
  const slugs = Array.from({ length: plan.tenants }, (_, number) => `crash-${number}`);
  const tenants = await Promise.all(slugs.map((slug) => scene.makeTenant(first.url, slug)));
  const ledger = openLedger(plan.seed, plan.creates, slugs);
  const { gateway, over } = reign({
    ...plan,
    first,
    start: scene.start,
    ledger,
    tenants: slugs,
    random: seededRandom(plan.seed),
  });
  const dispatcher = new Agent({ connections: plan.clients });
  cleanUp.defer(() => dispatcher.destroy());
  const keys = new Map(tenants.map(({ slug, key }) => [slug, key]));
  const parts: ClientParts = {
    ledger,
    dispatcher,
    url: () => gateway().url,
    keyOf: (tenant) => keys.get(tenant) ?? '',
  };
  const clients = Array.from({ length: plan.clients }, () => runClient(parts));
  const [reckoning] = await Promise.all([over, ...clients]);
  const changed = await askAgain(parts);
  await allDelivered(scene, plan.creates);
  gateway().signal('SIGTERM');
  const code = await gateway().ended;

  const verdict = judge({
    creates: plan.creates,
    acknowledged: ledger.entries.flatMap(acknowledgedIn),
    stocks: await takeStock(plan.mongodbUri, tenants),
    received: scene.receiver.requests.map((request) => receivedIn(request, tenants)),
    mostRepeats: plan.kills * plan.tenants * UNSETTLED,
  });
  return {
    ...verdict,
    ...reckoning,
    problems: [
      ...ledger.surprises,
      ...changed,
      ...verdict.problems,
      ...reckoning.recoveriesMs
        .filter((ms) => ms > RECOVERY_MS)
        .map((ms) => `a tenant was answered only ${Math.round(ms)} ms after a restart`),
      ...(code === 0 ? [] : [`the last gateway ended with ${code}`]),
    ],
    ...effortOf(ledger),
  };
};

/** A client that asks once more is told the same, byte for byte (P4). */
const askAgain = async (parts: ClientParts): Promise<readonly string[]> => {
  const some = parts.ledger.entries.filter(({ number }) => number % 50 === 0);
  const compared = some.map(async (entry) => {
    const told = await ask(parts, entry);
    return told?.body === entry.answer ? [] : [`${entry.email} was told something else later`];
  });
  return (await Promise.all(compared)).flat();
};

const allDelivered = async ({ receiver }: Scene, events: number): Promise<void> => {
  const latest = performance.now() + DELIVERED_MS;
  const idOf = ({ headers }: ReceivedRequest) => headers['x-service-delivery'];
  // What is missing when the time is over is the verdict's to tell.
  while (new Set(receiver.requests.map(idOf)).size < events && performance.now() < latest)
    await pause(50);
};

const acknowledgedIn = ({ tenant, email, answer }: Entry): readonly Acknowledged[] =>
  answer === undefined
    ? []
    : [{ tenant, email, userId: (JSON.parse(answer) as { readonly id: string }).id }];

const receivedIn = (
  { path, headers, json, isGenuine }: ReceivedRequest,
  tenants: readonly TenantAccess[],
): Received => {
  const tenant = path.slice(1);
  const { id, seq } = json as { readonly id: string; readonly seq: number };
  const secret = tenants.find(({ slug }) => slug === tenant)?.webhookSecret ?? '';
  const deliveryId = String(headers['x-service-delivery']);
  return { tenant, deliveryId, eventId: id, seq, isGenuine: isGenuine(secret) };
};

const effortOf = ({ entries }: Ledger): Pick<CrashReport, 'retries' | 'slowestMs'> => ({
  retries: entries.reduce((sum, { tries }) => sum + tries - 1, 0),
  slowestMs: Math.max(...entries.map(({ ms }) => ms)),
});
