import { Agent } from 'undici';
import type { Cleanup } from '../../tooling/cleanup.js';
import { type ClientParts, runClient } from './clients.js';
import { allDelivered } from './all-delivered.js';
import { askAgain, gather } from './evidence.js';
import type { GatewayProcess } from './gateway-process.js';
import { type Ledger, openLedger } from './ledger.js';
import { openScene, type Scene } from './scene.js';
import { judge, type Verdict } from './verdict.js';

export interface LoadPlan {
  readonly mongodbUri: string;
  /** Users to make, so many clients at once, in so many tenants. */
  readonly creates: number;
  readonly clients: number;
  readonly tenants: number;
  readonly seed: number;
  /** Deliveries that may come twice. */
  readonly mostRepeats: number;
  /** Deliveries whose end the database may have forgotten; absent: none. */
  readonly mostForgotten?: number;
}

/** What is at hand for doing harm. */
export interface Target {
  readonly scene: Scene;
  readonly first: GatewayProcess;
  readonly ledger: Ledger;
  /** Their slugs. */
  readonly tenants: readonly string[];
}

/** What is done to gateways or database while the load lasts. */
export interface Harm<Done extends Recoveries> {
  /** Where clients find a gateway now. */
  readonly gateway: () => GatewayProcess;
  readonly over: Promise<Done>;
}

export interface Recoveries {
  /** After each harm, until the last tenant was answered again. */
  readonly recoveriesMs: readonly number[];
}

export interface LoadReport extends Verdict {
  /** Requests that were not answered, or with "not now". */
  readonly retries: number;
  /** Until the slowest create was answered, its first request to its last. */
  readonly slowestMs: number;
}

/** Writes go on this long after a harm is over at the latest (reliability facts, P3). */
const RECOVERY_MS = 10_000;

/**
 * Users are made by many clients while harm is done; afterwards what clients and a webhook receiver
 * were told is held against the database (P1 to P4).
 */
export const runUnderLoad = async <Done extends Recoveries>(
  plan: LoadPlan,
  doHarm: (target: Target) => Harm<Done>,
  cleanUp: Cleanup,
): Promise<LoadReport & Done> => {
  const scene = await openScene(plan.mongodbUri, cleanUp);
  const first = await scene.start();
  const slugs = Array.from({ length: plan.tenants }, (_, number) => `crash-${number}`);
  const tenants = await Promise.all(slugs.map((slug) => scene.makeTenant(first.url, slug)));
  const ledger = openLedger(plan.seed, plan.creates, slugs);
  const { gateway, over } = doHarm({ scene, first, ledger, tenants: slugs });
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
  const [done] = await Promise.all([over, ...clients]);
  const changed = await askAgain(parts);
  await allDelivered(scene, { mongodbUri: plan.mongodbUri, tenants, count: plan.creates });
  gateway().signal('SIGTERM');
  const code = await gateway().ended;

  const verdict = judge({ ...plan, ...(await gather({ ...plan, scene, tenants, ledger })) });
  return {
    ...verdict,
    ...done,
    problems: [
      ...ledger.surprises,
      ...changed,
      ...verdict.problems,
      ...done.recoveriesMs
        .filter((ms) => ms > RECOVERY_MS)
        .map((ms) => `a tenant was answered only ${Math.round(ms)} ms after it could be`),
      ...(code === 0 ? [] : [`the last gateway ended with ${code}`]),
    ],
    ...effortOf(ledger),
  };
};

const effortOf = ({ entries }: Ledger): Pick<LoadReport, 'retries' | 'slowestMs'> => ({
  retries: entries.reduce((sum, { tries }) => sum + tries - 1, 0),
  slowestMs: Math.max(...entries.map(({ ms }) => ms)),
});
