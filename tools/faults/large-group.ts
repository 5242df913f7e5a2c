import { setTimeout as sleep } from 'node:timers/promises';
import type mongoose from 'mongoose';
import type { ApiClient } from '../shared/api-client.js';
import { replaceGateway, scimClient, type Tenant } from '../shared/faults/context.js';
import { openDeliveryCounter } from '../shared/faults/count-deliveries.js';
import { seconds } from '../shared/faults/fault-loop.js';
import { unless } from '../shared/faults/find-problems.js';
import { watchJobs } from '../shared/faults/jobs.js';
import { formatProbed, startProbe } from '../shared/faults/probe.js';
import {
  defineScenario,
  flag,
  MONGODB,
  number,
  openRunContext,
} from '../shared/faults/scenario.js';
import { readUsage, resetPeak } from '../shared/process-usage.js';
import { openDatabase } from '../shared/start-database.js';
import { createScimUsers, USER } from './create-users.js';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const CHUNK = 1_000;
const IDLE_MS = 5_000;

const patch = (op: string, path: string, value: unknown) => ({
  schemas: [PATCH],
  Operations: [{ op, path, value }],
});

/** A read and a write of another tenant. */
const otherRequests = async (scim: ApiClient) => {
  const user = { schemas: [USER], userName: 'other@example.com' };
  const path = `/Users/${await scim.create('/Users', user)}`;
  let active = true;
  return [
    () => scim.expect(200, 'GET', path),
    () => scim.expect(200, 'PATCH', path, patch('replace', 'active', (active = !active))),
  ];
};

interface StoredEvent {
  readonly _id: string;
  readonly seq: number;
  readonly name: string;
  readonly data: { readonly user?: { readonly id: string } };
}

/** What must hold when the group is deleted: every member was added once and removed once. */
const readGroupEvents = (database: mongoose.mongo.Db, tenant: string) => {
  const events = database.collection<StoredEvent>('events');
  const ofTenant = { tenant } as object;
  return {
    /** Events of the group and its members. */
    count: () => events.countDocuments({ ...ofTenant, name: { $not: /^user\./ } }),
    problems: async (ids: readonly string[]): Promise<readonly string[]> => {
      const problems: string[] = [];
      const left = await database.collection('memberships').countDocuments(ofTenant);
      if (left > 0) problems.push(`${left} memberships are left`);
      const added = new Map<string, number>();
      const removed = new Map<string, number>();
      let seq = 0;
      for await (const event of events.find(ofTenant).sort({ seq: 1 })) {
        if (event.seq !== (seq += 1)) problems.push(`seq ${seq} is missing in the event log`);
        const counts = event.name === 'room.member_added' ? added : removed;
        const user = event.data.user?.id;
        if (event.name.startsWith('room.') && user !== undefined)
          counts.set(user, (counts.get(user) ?? 0) + 1);
      }
      for (const id of ids) {
        if (added.get(id) !== 1) problems.push(`${id} was added ${added.get(id) ?? 0} times`);
        if (removed.get(id) !== 1) problems.push(`${id} was removed ${removed.get(id) ?? 0} times`);
      }
      return problems;
    },
  };
};

export const largeGroup = defineScenario({
  name: 'large-group',
  summary: `A group is filled by PATCHes of ${CHUNK} members, renamed, replaced by half of its members and deleted,
while another tenant sends requests. Prints their latency and the gateway's memory. Exit code 1
if an event is missing or duplicated, or was delivered under two ids.`,
  options: {
    members: number(100_000, 'members of the group'),
    kill: flag('kill -9 the gateway in the middle of the PUT and of the DELETE'),
    mongodb: MONGODB,
    'no-webhook': flag('without a webhook for the events'),
  },
  success: 'Every member was added once and removed once.',
  run: async ({ members: size, kill, 'no-webhook': noWebhook, mongodb }, run) => {
    const context = await openRunContext(mongodb, run);
    const gateways = [await context.startGateway()];
    const gateway = () => gateways[0]!;
    const { url } = gateway();
    const scimOf = (of: Tenant): ApiClient => scimClient(() => gateway().url, of);
    const tenant = await context.createTenant(url, 'large', { room_provisioning: 'automatic' });
    const scim = scimOf(tenant);
    run.report(`Creating ${size} users …`);
    const ids = await createScimUsers(scim, size);
    const others = await otherRequests(scimOf(await context.createTenant(url, 'other')));
    const receiver = await openDeliveryCounter(context.identity, run.cleanup);
    if (!noWebhook) await context.subscribe(url, tenant, `${receiver.url}/large`);

    const probe = startProbe(others, { pauseMs: 20 });
    run.cleanup.defer(probe.stop);
    await sleep(1_000);
    probe.take();
    const { rssMb: idleMb } = await readUsage(gateway().pid);
    let maxMb = 0;
    const measured = async (phase: string, work: () => Promise<unknown>): Promise<void> => {
      await resetPeak(gateway().pid);
      const began = performance.now();
      await work();
      const took = seconds(performance.now() - began);
      const { peakMb } = await readUsage(gateway().pid);
      maxMb = Math.max(maxMb, peakMb);
      run.report(
        `  ${phase.padEnd(22)} ${took.padStart(8)}  ${peakMb.toFixed(0).padStart(4)} MB  ` +
          `others: ${formatProbed(probe.take())}`,
      );
    };
    const database = openDatabase(context.mongodbUri, run.cleanup);
    const events = readGroupEvents(database, tenant.id);
    const jobs = watchJobs(database, tenant.id);
    /** Waits for a request and its job, which a kill interrupts if the option is set. */
    const finish = async (request: Promise<unknown>): Promise<void> => {
      if (kill) {
        const interrupted = request.catch(() => undefined);
        await jobs.halfway(interrupted);
        await replaceGateway(context, gateways);
        run.report('  … killed in the middle, and another gateway started');
      } else await request;
      await jobs.finished();
    };

    await measured('idle', () => sleep(IDLE_MS));
    let group = '';
    await measured(`${Math.ceil(size / CHUNK)} PATCHes of ${CHUNK}`, async () => {
      const created = { schemas: [GROUP], displayName: 'Everyone' };
      group = `/Groups/${await scim.create('/Groups', created)}`;
      for (let from = 0; from < size; from += CHUNK) {
        const value = ids.slice(from, from + CHUNK).map((id) => ({ value: id }));
        await scim.expect(204, 'PATCH', group, patch('add', 'members', value));
      }
    });
    await measured('rename', () =>
      scim.expect(204, 'PATCH', group, patch('replace', 'displayName', 'All staff')),
    );
    await measured('PUT of half', () => {
      const members = ids.slice(0, size / 2).map((id) => ({ value: id }));
      const body = { schemas: [GROUP], displayName: 'All staff', members };
      return finish(scim.expect(200, 'PUT', `${group}?excludedAttributes=members`, body));
    });
    await measured('DELETE', () => finish(scim.expect(204, 'DELETE', group)));
    const expected = await events.count();
    await measured('deliveries', async () => {
      while (!noWebhook && receiver.events() < expected) await sleep(100);
    });
    await probe.stop();

    run.report(
      `\n  memory of the gateway  ${idleMb.toFixed(0)} MB idle, ${maxMb.toFixed(0)} MB at most`,
    );
    run.report(`  events                 ${expected}`);
    run.report(`  events delivered       ${receiver.events()}, ${receiver.repeats()} repeats`);
    const duplicates = receiver.duplicates();
    return {
      problems: [
        ...(await events.problems(ids)),
        ...unless(duplicates === 0, `${duplicates} events were delivered under two ids`),
      ],
    };
  },
});
