import { Agent } from 'undici';
import type { CleanUp } from '../demo/clean-up.js';
import { type ClientParts, runClient } from './clients.js';
import { allDelivered, askAgain, gather } from './evidence.js';
import { type Kill, type Reckoning, reign } from './killer.js';
import { type Ledger, openLedger } from './ledger.js';
import { openScene } from './scene.js';
import { seededRandom } from './seeded-random.js';
import { judge, type Verdict } from './verdict.js';

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

  const mostRepeats = plan.kills * plan.tenants * UNSETTLED;
  const verdict = judge({ ...(await gather({ ...plan, scene, tenants, ledger })), mostRepeats });
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

const effortOf = ({ entries }: Ledger): Pick<CrashReport, 'retries' | 'slowestMs'> => ({
  retries: entries.reduce((sum, { tries }) => sum + tries - 1, 0),
  slowestMs: Math.max(...entries.map(({ ms }) => ms)),
});
