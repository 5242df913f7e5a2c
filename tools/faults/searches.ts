import { setTimeout as sleep } from 'node:timers/promises';
import { scimClient, type Tenant } from '../shared/faults/context.js';
import { formatProbed, startProbe } from '../shared/faults/probe.js';
import { defineScenario, MONGODB, number, openRunContext } from '../shared/faults/scenario.js';
import { createScimUsers } from './create-users.js';

const IDLE_MS = 5_000;
const MIN_MEASURED_MS = 2_000;

/** Matches no user, and no index helps. */
const FILTER = encodeURIComponent('nickName co "no such name"');

export const searches = defineScenario({
  name: 'searches',
  summary: `Measures what one tenant's unindexed searches cost another tenant: the latency of reads by id, alone
and beside concurrent searches. Prints the statuses of the searches.`,
  options: {
    users: number(60_000, 'users of the tenant that searches'),
    searches: number(100, 'concurrent searches'),
    mongodb: MONGODB,
  },
  success: 'Measured.',
  run: async ({ users, searches: count, mongodb }, run) => {
    const context = await openRunContext(mongodb, run);
    const { url } = await context.startGateway();
    const scimOf = (tenant: Tenant) => scimClient(() => url, tenant);
    const large = scimOf(await context.createTenant(url, 'large'));
    const small = scimOf(await context.createTenant(url, 'small'));
    run.report(`Creating ${users} users …`);
    await createScimUsers(large, users, (number) => ({ nickName: `nick ${number}` }));
    const [user] = await createScimUsers(small, 1);

    const probe = startProbe([() => small.expect(200, 'GET', `/Users/${user}`)], { clients: 4 });
    run.cleanup.defer(probe.stop);
    await sleep(IDLE_MS);
    run.report(`  alone:                ${formatProbed(probe.take())}`);

    const began = performance.now();
    const outcomes = new Map<string, number>();
    const search = async (): Promise<void> => {
      const response = await large.send('GET', `/Users?filter=${FILTER}`);
      const { error = '' } = response.json() as { readonly error?: string };
      const outcome = `${response.status} ${error}`.trim();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };
    await Promise.all(Array.from({ length: count }, search));
    const tookMs = performance.now() - began;
    await sleep(MIN_MEASURED_MS - tookMs);
    run.report(`  beside the searches:  ${formatProbed(probe.take())}`);
    await probe.stop();
    run.report(`  ${count} searches over ${users} users took ${Math.round(tookMs)} ms:`);
    for (const [outcome, times] of outcomes) run.report(`    ${outcome}: ${times}`);
    return { problems: [] };
  },
});
