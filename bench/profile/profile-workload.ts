import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ROOT } from '../build.js';
import type { Contestant, PeerName } from '../contestants/contestant.js';
import { readMainThreadMs } from '../contestants/process-usage.js';
import { monotonicMs } from '../load/monotonic.js';
import type { BenchOptions } from '../options.js';
import { enterContestant, type World } from '../run/world.js';
import { type Workload, WORKLOADS } from '../workloads.js';
import type { CpuProfile, Window } from './cpu-profile.js';
import { framePlaces } from './frame-place.js';
import { profileReport } from './profile-report.js';
import { summariseProfile } from './summarise-profile.js';

const INTERVAL_US = 250;

interface Measured {
  readonly window: Window;
  readonly cpuMs: number;
  readonly requests: number;
}

/**
 * Runs one workload against one process that writes a CPU profile at its end, and tells where the
 * time of the workload went; start, warm-up and the making of the directory are left out.
 */
export const profileWorkload = async (world: World, options: BenchOptions): Promise<string> => {
  const [peer = 'rollgate'] = options.peers;
  const workload = WORKLOADS.find(({ id }) => id === options.profile);
  if (!workload) throw new Error(`There is no workload ${options.profile ?? ''}.`);
  const folder = join(ROOT, 'bench/results');
  await mkdir(folder, { recursive: true });
  const name = `${peer}-${workload.id}-${Date.now()}.cpuprofile`;
  const contestant = await enterProfiled(world, peer, options, { folder, name });
  const { window, requests, cpuMs } = await runProfiled(world, contestant, workload, options);
  await contestant.server.stop();
  const path = join(folder, name);
  const profile = JSON.parse(await readFile(path, 'utf8')) as CpuProfile;
  const summary = summariseProfile(profile, {
    window,
    placeOf: framePlaces(ROOT),
    isOwn: ({ file }) => /^(src|plugins|config|bench)\//.test(file),
  });
  const where = `The whole profile is in ${relative(process.cwd(), path)}: open it in DevTools.\n`;
  return `${workload.id}  ${workload.title}: ${peer}\n${profileReport(summary, { requests, cpuMs })}\n${where}`;
};

const enterProfiled = (
  world: World,
  peer: PeerName,
  { sizes }: BenchOptions,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<Contestant> => {
  const flags = ['--cpu-prof', '--cpu-prof-dir', folder, '--cpu-prof-name', name];
  const interval = ['--cpu-prof-interval', String(INTERVAL_US)];
  return enterContestant(
    world,
    peer,
    world.settingFor(peer, sizes[0] ?? NaN, [...flags, ...interval]),
  );
};

const runProfiled = async (
  { load }: World,
  { label, server, settled }: Contestant,
  { work, clients, events }: Workload,
  { rounds, seconds, warmUpSeconds }: BenchOptions,
): Promise<Measured> => {
  const run = async (length: number): Promise<number> => {
    const tallied = await load.ask('run', { label, work, clients, seconds: length });
    if (tallied.wrong) throw new Error(`A wrong answer: ${JSON.stringify(tallied.wrong, null, 2)}`);
    await settled(tallied.requests * events);
    return tallied.requests;
  };
  await run(warmUpSeconds);
  const before = await readMainThreadMs(server.pid);
  const from = monotonicMs() * 1_000;
  const requests = await run(rounds * seconds);
  const to = monotonicMs() * 1_000;
  const cpuMs = (await readMainThreadMs(server.pid)) - before;
  return { window: { from, to }, requests, cpuMs };
};
