import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ROOT } from '../build.js';
import type { Contestant } from '../contestants/contestant.js';
import { readMainThreadMs } from '../../tooling/process-usage.js';
import { monotonicMs } from '../load/monotonic.js';
import type { BenchOptions } from '../options.js';
import { enterContestant, type World } from '../run/world.js';
import type { CpuProfile, Window } from './cpu-profile.js';
import { framePlaces } from './frame-place.js';
import { profileReport } from './profile-report.js';
import { profileSubject, type ProfileSubject } from './profile-subject.js';
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
  const subject = profileSubject(world, options);
  const { id, title, size } = subject;
  const folder = join(ROOT, 'bench/results');
  await mkdir(folder, { recursive: true });
  const name = `${peer}-${id}-${Date.now()}.cpuprofile`;
  const setting = world.settingFor(peer, size, profilingFlags(folder, name));
  const contestant = await enterContestant(world, peer, setting);
  const { window, requests, cpuMs } = await runProfiled(contestant, subject);
  await contestant.server.stop();
  const path = join(folder, name);
  const profile = JSON.parse(await readFile(path, 'utf8')) as CpuProfile;
  const summary = summariseProfile(profile, {
    window,
    placeOf: framePlaces(ROOT),
    isOwn: ({ file }) => /^(src|plugins|config|bench)\//.test(file),
  });
  const where = `The whole profile is in ${relative(process.cwd(), path)}: open it in DevTools.\n`;
  return `${id}  ${title}: ${peer}\n${profileReport(summary, { requests, cpuMs })}\n${where}`;
};

const profilingFlags = (folder: string, name: string): readonly string[] => [
  '--cpu-prof',
  ...['--cpu-prof-dir', folder],
  ...['--cpu-prof-name', name],
  ...['--cpu-prof-interval', String(INTERVAL_US)],
];

const runProfiled = async (
  contestant: Contestant,
  { warmUp, run }: ProfileSubject,
): Promise<Measured> => {
  const { pid } = contestant.server;
  await warmUp(contestant);
  const before = await readMainThreadMs(pid);
  const from = monotonicMs() * 1_000;
  const requests = await run(contestant);
  const to = monotonicMs() * 1_000;
  const cpuMs = (await readMainThreadMs(pid)) - before;
  return { window: { from, to }, requests, cpuMs };
};
