import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readMainThreadMs } from '../../shared/process-usage.js';
import { ROOT } from '../build.js';
import { monotonicMs } from '../load/monotonic.js';
import type { BenchOptions } from '../options.js';
import { type BenchContext, startFilledServer } from '../run/bench-context.js';
import type { TestedServer } from '../servers/tested-server.js';
import type { CpuProfile, Window } from './cpu-profile.js';
import { formatProfile } from './format-profile.js';
import { frameLocations } from './frame-locations.js';
import { profileSubject, type ProfileSubject } from './profile-subject.js';
import { summariseProfile } from './summarise-profile.js';

const INTERVAL_US = 250;

interface Measured {
  readonly window: Window;
  readonly cpuMs: number;
  readonly requests: number;
}

/**
 * Runs one workload on a server that writes a CPU profile at its end, and reports where the time
 * went. Start, warm-up and the creation of users are not counted.
 */
export const profileWorkload = async (
  context: BenchContext,
  options: BenchOptions,
): Promise<string> => {
  const [peer = 'rollgate'] = options.peers;
  const subject = await profileSubject(context, options);
  const { id, title, size, environment } = subject;
  const folder = join(ROOT, 'tools/bench/results');
  await mkdir(folder, { recursive: true });
  const name = `${peer}-${id}-${Date.now()}.cpuprofile`;
  const setting = context.settingFor(peer, size, profilingFlags(folder, name));
  const server = await startFilledServer(context, peer, {
    ...setting,
    ...(environment && { environment }),
  });
  const { window, requests, cpuMs } = await runProfiled(server, subject);
  await server.process.stop();
  const path = join(folder, name);
  const profile = JSON.parse(await readFile(path, 'utf8')) as CpuProfile;
  const summary = summariseProfile(profile, {
    window,
    locationOf: frameLocations(ROOT),
    isOwn: ({ file }) => /^(src|plugins|config|bench)\//.test(file),
  });
  const where = `The profile is in ${relative(process.cwd(), path)}; open it in DevTools.\n`;
  return `${id}  ${title}: ${peer}\n${formatProfile(summary, { requests, cpuMs })}\n${where}`;
};

const profilingFlags = (folder: string, name: string): readonly string[] => [
  '--cpu-prof',
  ...['--cpu-prof-dir', folder],
  ...['--cpu-prof-name', name],
  ...['--cpu-prof-interval', String(INTERVAL_US)],
];

const runProfiled = async (
  server: TestedServer,
  { warmUp, run }: ProfileSubject,
): Promise<Measured> => {
  const { pid } = server.process;
  await warmUp(server);
  const before = await readMainThreadMs(pid);
  const from = monotonicMs() * 1_000;
  const requests = await run(server);
  const to = monotonicMs() * 1_000;
  const cpuMs = (await readMainThreadMs(pid)) - before;
  return { window: { from, to }, requests, cpuMs };
};
