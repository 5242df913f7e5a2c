import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { createApiClient } from '../api-client.js';
import type { GatewayProcess } from '../gateway-process.js';
import type { Context, Registration, Tenant } from './context.js';
import { type FaultResult, type FaultTarget, seconds } from './fault-loop.js';
import { deliveryIdOf, type Findings, findProblems, type Observations } from './find-problems.js';
import { type ClientFor, createLedger, findChangedResponses, runClient } from './ledger.js';
import { type Figures, formatFigures } from './long-runs.js';
import { readStoredState } from './stored-state.js';

export interface LoadPlan extends Pick<Observations, 'maxRepeats' | 'maxUndelivered'> {
  /** Users to create, by this many concurrent clients, in this many tenants. */
  readonly creates: number;
  readonly clients: number;
  readonly tenants: number;
  readonly seed: number;
  /** Whether clients send no Idempotency-Key. */
  readonly keyless?: boolean;
  readonly gateways?: number;
  /** Webhooks of each tenant, for all events. */
  readonly registrations?: number;
  readonly report: (line: string) => void;
}

export interface LoadResult extends Findings, FaultResult {
  /** Requests without a response or with 503. */
  readonly retries: number;
  readonly figures: Figures;
}

/** A create that takes longer was in progress during an outage. */
const LONG_MS = 2_500;

/** A guarantee in docs/reliability.md. */
const MAX_RECOVERY_MS = 10_000;

/**
 * Clients create users while faults are injected. Afterwards every acknowledged user, event and
 * delivery must exist exactly once.
 */
export const runUnderLoad = async (
  context: Context,
  plan: LoadPlan,
  injectFaults: (target: FaultTarget) => Promise<FaultResult>,
): Promise<LoadResult> => {
  const { creates, gateways: count = 1, registrations: perTenant = 1 } = plan;
  const gateways: GatewayProcess[] = [];
  while (gateways.length < count) gateways.push(await context.startGateway());
  const url = gateways[0]?.url ?? '';
  // A database that is used for several runs has the tenants of the earlier ones.
  const run = Date.now().toString(36);
  const tenants: Tenant[] = [];
  const registrations: Registration[] = [];
  for (let number = 0; number < plan.tenants; number += 1) {
    const tenant = await context.createTenant(url, `fault-${run}-${number}`);
    tenants.push(tenant);
    for (let each = 0; each < perTenant; each += 1)
      registrations.push(await context.subscribe(url, tenant, `/${tenant.slug}/${each}`));
  }
  const slugs = tenants.map(({ slug }) => slug);
  const ledger = createLedger(plan, slugs);
  const clientFor = clientsOf(tenants, gateways);

  const faults = injectFaults({ gateways, ledger, tenants: slugs });
  const clients = Array.from({ length: plan.clients }, () => runClient(ledger, clientFor));
  const [result] = await Promise.all([faults, ...clients]);

  const changed = await findChangedResponses(ledger, clientFor);
  await waitForDeliveries(context, tenants, creates * perTenant);
  for (const gateway of gateways) gateway.signal('SIGTERM');
  const codes = await Promise.all(gateways.map(({ ended }) => ended));

  const { entries, unexpected } = ledger;
  const findings = findProblems({
    ...plan,
    entries,
    requests: context.receiver.requests,
    registrations,
    states: await readStoredState(context.mongodbUri, tenants),
  });
  const retries = entries.reduce((sum, { attempts }) => sum + attempts - 1, 0);
  const waited = entries.filter(({ attempts, ms }) => attempts === 1 && ms > LONG_MS).length;
  const slow = result.recoveriesMs.filter((ms) => ms > MAX_RECOVERY_MS);
  const failed = codes.filter((code) => code !== 0);
  const problems = [
    ...unexpected,
    ...changed,
    ...findings.problems,
    ...slow.map((ms) => `a tenant was served again only ${seconds(ms)} after a fault ended`),
    ...failed.map((code) => `a gateway ended with exit code ${code}`),
  ];
  const figures = {
    'users created': `${inWords(creates)} by ${plan.clients} clients, with ${inWords(retries)} retries`,
    faults: inWords(result.faults),
    events: inWords(findings.events),
    webhooks: `${registrations.length}, each for all events of its tenant`,
    'repeated deliveries': `${inWords(findings.repeats)} of ${inWords(findings.deliveries)}, under the same id (limit ${inWords(plan.maxRepeats)})`,
    [`creates that waited over ${seconds(LONG_MS)}`]: `${waited}, whose first response was their 201`,
    'slowest create': `${seconds(Math.max(...entries.map(({ ms }) => ms)))} until its 201`,
    'slowest recovery': `${seconds(Math.max(0, ...result.recoveriesMs))} until every tenant was served`,
  };
  plan.report(`\n${formatFigures(figures)}`);
  return { ...findings, ...result, retries, figures, problems };
};

const inWords = (count: number): string => count.toLocaleString('en');

/** Clients of tenants; each request goes to the next of the gateways. */
export const clientsOf = (
  tenants: readonly Tenant[],
  gateways: readonly Pick<GatewayProcess, 'url'>[],
): ClientFor => {
  const keys = new Map(tenants.map(({ slug, key }) => [slug, key]));
  let requests = 0;
  return (slug) => {
    const gateway = gateways[(requests += 1) % gateways.length];
    return createApiClient(() => `${gateway?.url}/v1/${slug}`, keys.get(slug) ?? '');
  };
};

const POLL_MS = 250;
/** However busy the machine is, nothing arrives for this long only if something is stuck. */
const STUCK_MS = 180_000;

/**
 * Resolves when the receiver has this many distinct deliveries, or when no more will arrive:
 * nothing is pending, or nothing has arrived for minutes. `findProblems` reports what is missing.
 */
export const waitForDeliveries = async (
  { mongodbUri, receiver }: Context,
  tenants: readonly Tenant[],
  count: number,
): Promise<void> => {
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  const database = client.db();
  const ofTenants = { tenant: { $in: tenants.map(({ id }) => id) } };
  const isSettled = async (): Promise<boolean> => {
    const heads = await database
      .collection('tenant_state')
      .find({ _id: { $in: tenants.map(({ id }) => id as never) } })
      .toArray();
    const cursors = await database.collection('cursors').find(ofTenants).toArray();
    const lows = new Map(cursors.map(({ tenant, low }) => [String(tenant), Number(low)]));
    const retries = { ...ofTenants, st: 'p' };
    return (
      heads.every(({ _id, seq }) => (lows.get(String(_id)) ?? 0) >= Number(seq)) &&
      (await database.collection('deliveries').countDocuments(retries, { limit: 1 })) === 0
    );
  };
  const received = (): number => new Set(receiver.requests.map(deliveryIdOf)).size;
  let last = received();
  let since = performance.now();
  try {
    while (last < count && performance.now() - since < STUCK_MS) {
      // Read before the receiver: a delivery that ends in between has already arrived there.
      const isDone = await isSettled();
      const now = received();
      if (isDone) return;
      if (now > last) since = performance.now();
      last = now;
      await sleep(POLL_MS);
    }
  } finally {
    await client.close();
  }
};
