import { createEmployeesFolder, writeEmployees } from '../connectors/employees.js';
import type { WrongResponse } from '../load/clients.js';
import type { BenchOptions } from '../options.js';
import { type BenchContext, startFilledServer } from '../run/bench-context.js';
import { syncTo } from '../run/run-first-syncs.js';
import { operatorOf, runConnector } from '../run/run-connectors.js';
import { runFixture } from '../run/run-workloads.js';
import { SLUG, type TestedServer } from '../servers/start-server.js';
import { CONNECTORS, FIRST_SYNC, type Workload, WORKLOADS } from '../workloads.js';
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readMainThreadMs, monotonicMs } from '../../shared/process-usage.js';
import { ROOT } from '../build.js';
import { type Cost, type CpuProfile, summariseProfile } from './summarise-profile.js';

/** The workload to profile. */
interface ProfileSubject {
  readonly id: string;
  readonly title: string;
  /** Users in the directory. */
  readonly size: number;
  /** Settings of the gateway, besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly warmUp: (server: TestedServer) => Promise<void>;
  /** Includes the deliveries. Resolves with the number of requests. */
  readonly run: (server: TestedServer) => Promise<number>;
}

const profileSubject = async (
  context: BenchContext,
  options: BenchOptions,
): Promise<ProfileSubject> => {
  if (options.profile === CONNECTORS) return firstRun(context, options);
  if (options.profile === FIRST_SYNC) return firstSync(context, options);
  const workload = WORKLOADS.find(({ id }) => id === options.profile);
  if (workload) return ofWorkload(context, workload, options);
  throw new Error(`Unknown workload ${options.profile ?? ''}.`);
};

const requireCorrect = (wrong: WrongResponse | undefined): void => {
  if (wrong) throw new Error(`Wrong response: ${JSON.stringify(wrong, null, 2)}`);
};

/** In a new process, so without a warm-up. */
const firstSync = (context: BenchContext, { syncUsers }: BenchOptions): ProfileSubject => ({
  id: FIRST_SYNC,
  title: `first sync of ${syncUsers} users`,
  size: 0,
  warmUp: () => Promise.resolve(),
  run: async (server) => {
    const { result, wrong } = await syncTo(context, server, syncUsers);
    requireCorrect(wrong);
    return result?.requests ?? NaN;
  },
});

/** The first run of a connector; counts employees as requests. */
const firstRun = async (
  { folder }: BenchContext,
  { employees: [employees = NaN] }: BenchOptions,
): Promise<ProfileSubject> => {
  const { files, environment } = await createEmployeesFolder(folder, {
    label: CONNECTORS,
    tenant: SLUG,
  });
  return {
    id: CONNECTORS,
    title: `first run of ${employees} employees`,
    size: 0,
    environment,
    warmUp: () => writeEmployees(files, 'people.csv', { employees }),
    run: async (server) => {
      await runConnector(operatorOf(server), { employees, applied: employees });
      return employees;
    },
  };
};

const ofWorkload = (
  context: BenchContext,
  workload: Workload,
  { sizes, rounds, seconds, warmUpSeconds }: BenchOptions,
): ProfileSubject => {
  const { id, title, operation, clients, events, fixture } = workload;
  const run = async (
    { label, waitForDeliveries }: TestedServer,
    length: number,
  ): Promise<number> => {
    const params = { label, operation, fixture, clients, seconds: length };
    const { requests, wrong } = await context.load.call('run', params);
    requireCorrect(wrong);
    await waitForDeliveries(requests * events);
    return requests;
  };
  return {
    id,
    title,
    size: sizes[0] ?? NaN,
    warmUp: async (server) => {
      requireCorrect(await runFixture(context, server, workload, 'createFixture'));
      await run(server, warmUpSeconds);
    },
    run: (server) => run(server, rounds * seconds),
  };
};

const INTERVAL_US = 250;

interface Measured {
  readonly window: { readonly from: number; readonly to: number };
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
  const { areas, functions } = summariseProfile(profile, window, ROOT);
  return [
    `${id}  ${title}: ${peer}`,
    `${requests} requests, ${(cpuMs / requests).toFixed(3)} ms CPU of the main thread per request\n`,
    formatCosts('By folder and package', areas),
    formatCosts('Functions by self time', functions),
    `The profile is in ${relative(process.cwd(), path)}; open it in DevTools.\n`,
  ].join('\n');
};

const MAX_COSTS = 30;

const formatCosts = (title: string, costs: readonly Cost[]): string => {
  const total = costs.reduce((sum, { ms }) => sum + ms, 0);
  const lines = costs
    .slice(0, MAX_COSTS)
    .map(({ name, ms }) => `${((ms / total) * 100).toFixed(1).padStart(6)} %  ${name}`);
  return [title, ...lines, ''].join('\n');
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
