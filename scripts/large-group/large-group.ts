import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { ownDatabase } from '../crash/own-database.js';
import type { GatewayProcess } from '../crash/gateway-process.js';
import { runScript } from '../crash/run-script.js';
import { openScene } from '../crash/scene.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { openCountingReceiver } from './counting-receiver.js';
import { startProbe, type Waits } from './probe.js';
import { readGroupStock } from './stock.js';
import { expectStatus, tenantClient } from './tenant-client.js';

const HELP = `npm run large-group [-- options]

A group is made by PATCHes of 1,000 members, renamed, PUT to half and deleted, while another
organisation asks for its own things. Prints how long those waited, how much memory the gateway
took, and whether every event happened and was delivered under one id.

  --members N   members of the group (100000)
  --kill        kill -9 the gateway in the middle of the PUT and of the DELETE
  --no-webhook  nobody is told of the events
`;

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '100000' },
    kill: { type: 'boolean', default: false },
    'no-webhook': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const SLICE = 1_000;
/** How long others are measured before anything happens. */
const QUIET_MS = 5_000;

const memoryOf = async (pid: number, line: 'VmHWM' | 'VmRSS'): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
};

/** The peak is counted anew from here. */
const forgetPeak = async (pid: number): Promise<void> => {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
};

const inWords = ({ requests, p50, p99, most }: Waits): string =>
  requests === 0
    ? 'no requests'
    : `${requests} requests, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`;

const run = async (cleanUp: Cleanup): Promise<number> => {
  const size = Number(values.members);
  const uri = await ownDatabase(say, cleanUp);
  const scene = await openScene(uri, cleanUp);
  let gateway: GatewayProcess = await scene.start();
  const url = (): string => gateway.url;
  const automatic = { room_provisioning: 'automatic' };
  const owner = await scene.makeSilentTenant(url(), 'large', automatic);
  const other = await scene.makeSilentTenant(url(), 'other');
  const { scim } = tenantClient(url, owner);
  const beside = tenantClient(url, other);

  say(`Making ${size} users by Bulk …`);
  const ids: string[] = [];
  for (let from = 0; from < size; from += SLICE) {
    const Operations = Array.from({ length: Math.min(SLICE, size - from) }, (_, at) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `${from + at}`,
      data: { schemas: [USER], userName: `member${from + at}@example.com` },
    }));
    const { body } = await expectStatus(
      scim('POST', '/Bulk', { schemas: [BULK], Operations }),
      200,
    );
    const made = (body as { readonly Operations: { readonly location: string }[] }).Operations;
    ids.push(...made.map(({ location }) => location.split('/').at(-1) ?? ''));
  }
  const newcomer = { schemas: [USER], userName: 'somebody@example.com' };
  const { body: somebody } = await expectStatus(beside.scim('POST', '/Users', newcomer), 201);
  const person = `/Users/${(somebody as { readonly id: string }).id}`;

  const receiver = await openCountingReceiver(scene.identity);
  cleanUp.defer(receiver.close);
  if (!values['no-webhook']) await scene.subscribe(url(), owner, `${receiver.url}/large`);

  let active = true;
  const probe = startProbe(
    [
      () => expectStatus(beside.scim('GET', person), 200),
      () => {
        const step = { op: 'replace', path: 'active', value: (active = !active) };
        const body = { schemas: [PATCH], Operations: [step] };
        return expectStatus(beside.scim('PATCH', person, body), 200);
      },
    ],
    20,
  );
  cleanUp.defer(probe.stop);
  await pause(1_000);
  probe.take();
  const restBefore = await memoryOf(gateway.pid, 'VmRSS');
  await forgetPeak(gateway.pid);
  let peak = 0;
  const tellPhase = async (name: string, ms: number): Promise<void> => {
    const used = await memoryOf(gateway.pid, 'VmHWM');
    await forgetPeak(gateway.pid);
    peak = Math.max(peak, used);
    say(
      `  ${name.padEnd(22)} ${(ms / 1_000).toFixed(1).padStart(6)} s  ${used.toFixed(0).padStart(4)} MB  ` +
        `others: ${inWords(probe.take())}`,
    );
  };
  await pause(QUIET_MS);
  await tellPhase('in quiet', QUIET_MS);

  const client = new mongoose.mongo.MongoClient(uri);
  cleanUp.defer(() => client.close());
  const stock = readGroupStock(client.db(), owner.id);
  /** A large change with its job, which a kill interrupts where one is wanted. */
  const carriedOut = async (request: Promise<unknown>): Promise<void> => {
    if (values.kill) {
      const lost = request.catch(() => undefined);
      await stock.halfway(lost);
      gateway.signal('SIGKILL');
      await gateway.ended;
      gateway = await scene.start();
      say('  … killed in the middle, and another gateway started');
    } else await request;
    await stock.settled();
  };
  const timed = async (name: string, work: () => Promise<void>): Promise<void> => {
    const began = performance.now();
    await work();
    await tellPhase(name, performance.now() - began);
  };

  let groupId = '';
  await timed(`${Math.ceil(size / SLICE)} PATCHes of ${SLICE}`, async () => {
    const made = await expectStatus(
      scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Everybody' }),
      201,
    );
    groupId = (made.body as { readonly id: string }).id;
    for (let from = 0; from < size; from += SLICE) {
      const value = ids.slice(from, from + SLICE).map((id) => ({ value: id }));
      const Operations = [{ op: 'add', path: 'members', value }];
      await expectStatus(
        scim('PATCH', `/Groups/${groupId}`, { schemas: [PATCH], Operations }),
        204,
      );
    }
  });
  await timed('renamed', async () => {
    const Operations = [{ op: 'replace', path: 'displayName', value: 'All of us' }];
    await expectStatus(scim('PATCH', `/Groups/${groupId}`, { schemas: [PATCH], Operations }), 204);
  });
  await timed('PUT to half', async () => {
    const members = ids.slice(0, size / 2).map((id) => ({ value: id }));
    const body = { schemas: [GROUP], displayName: 'All of us', members };
    const put = scim('PUT', `/Groups/${groupId}?excludedAttributes=members`, body);
    await carriedOut(expectStatus(put, 200));
  });
  await timed('DELETE', async () => {
    await carriedOut(expectStatus(scim('DELETE', `/Groups/${groupId}`), 204));
  });
  await timed('delivered', async () => {
    const owed = await stock.eventsSince();
    while (!values['no-webhook'] && receiver.events() < owed) await pause(100);
  });
  await probe.stop();

  const problems = await stock.faults(ids);
  say('');
  say(
    `  memory of the gateway   ${restBefore.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most`,
  );
  say(`  events                  ${await stock.eventsSince()}`);
  say(
    `  deliveries              ${receiver.events()} events, ${receiver.repeats()} again under their id, ` +
      `${receiver.doubles()} under two`,
  );
  if (receiver.doubles() > 0) problems.push('an event was delivered under two ids');
  for (const problem of problems.slice(0, 20)) say(`  ✘ ${problem}`);
  if (problems.length === 0) say('  ✔ Every member came and went once.');
  return problems.length === 0 ? 0 : 1;
};

if (values.help) say(HELP);
else process.exitCode = await runScript(run);
