import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { ApiResponse } from '../shared/api-client.js';
import { type Context, replaceGateway, tenantClient } from '../shared/faults/context.js';
import { openDeliveryCounter } from '../shared/faults/count-deliveries.js';
import { unless } from '../shared/faults/find-problems.js';
import { watchJobs } from '../shared/faults/jobs.js';
import type { Run } from '../shared/faults/scenario.js';
import { createList, membersFrom } from './sms-list-client.js';
import { type Counts, readListState } from './sms-list-state.js';

const TIMEOUT_MS = 120_000;
/** The first kill comes at a random time after the PUT, often before its response. */
const MAX_KILL_DELAY_MS = 1_500;

const untilResponse = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
};

/**
 * A large list is replaced by its other half and deleted while the gateway is killed: in the middle
 * of the PUT, of its job, and of the DELETE's job.
 */
export const killDuringSmsJobs = async (
  context: Context,
  { members, random }: { readonly members: number; readonly random: () => number },
  { cleanup, report }: Run,
) => {
  const gateways = [await context.startGateway()];
  const gateway = () => gateways[0]?.url ?? '';
  const tenant = await context.createTenant(gateway(), 'numbers');
  const receiver = await openDeliveryCounter(context.identity);
  cleanup.defer(receiver.close);
  await context.subscribe(gateway(), tenant, `${receiver.url}/numbers`);
  const api = tenantClient(gateway, tenant);
  const client = new mongoose.mongo.MongoClient(context.mongodbUri);
  cleanup.defer(() => client.close());
  const jobs = watchJobs(client.db(), tenant.id);
  const state = readListState(client.db(), tenant.id, api);

  report(`Creating a list of ${members} numbers …`);
  // Without windows, since the sweep of expired members would remove some of them.
  const path = await createList(api, members, membersFrom);
  const half = Math.floor(members / 2);
  const replacement = { members: membersFrom(half, members + half) };
  const put = () => api.expect(200, 'PUT', `${path}/members`, replacement);

  const first = put().catch(() => undefined);
  await sleep(random() * MAX_KILL_DELAY_MS);
  await replaceGateway(context, gateways);
  report(`  killed ${(await first) ? 'after the response to the PUT' : 'during the PUT'}`);
  // The response waits for the job, so a kill in the job's middle interrupts the request as well.
  const second = first.then((response) => response ?? untilResponse(put));
  await jobs.halfway(second);
  await replaceGateway(context, gateways);
  report('  killed in the middle of the rest');
  const counts = (await second).json() as Counts;
  await jobs.finished();
  const memberProblems = await state.memberProblems(path, half, members + half);

  const deleted = untilResponse(async () => {
    const response = await api.send('DELETE', path);
    // A repeated DELETE finds nothing.
    if (response.status === 204 || response.status === 404) return response;
    throw new Error(`DELETE: ${response.status} ${response.text}`);
  });
  await jobs.halfway(deleted);
  await replaceGateway(context, gateways);
  report('  killed in the middle of the DELETE');
  await deleted;
  await jobs.finished();
  const eventProblems = await state.eventProblems(members, half, counts);

  const events = await state.eventCount();
  const deadline = performance.now() + TIMEOUT_MS;
  while (receiver.events() < events && performance.now() < deadline) await sleep(100);
  const delivered = receiver.events();
  const duplicates = receiver.duplicates();
  report(`  ${events} events, ${receiver.repeats()} deliveries repeated with the same id`);
  return {
    events,
    problems: [
      ...memberProblems,
      ...eventProblems,
      ...unless(delivered === events, `${delivered} of ${events} events were delivered`),
      ...unless(duplicates === 0, `${duplicates} events were delivered under two ids`),
    ],
  };
};
