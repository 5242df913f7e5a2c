import { createEmployeesFolder } from '../connectors/configuration.js';
import { writeEmployees } from '../connectors/write-employees.js';
import type { WrongResponse } from '../load/load-recorder.js';
import type { BenchOptions } from '../options.js';
import type { BenchContext } from '../run/bench-context.js';
import { syncTo } from '../run/first-sync.js';
import { operatorOf, runConnector } from '../run/run-connectors.js';
import { runFixture } from '../run/run-fixture.js';
import { SLUG } from '../servers/start-gateway.js';
import type { TestedServer } from '../servers/tested-server.js';
import { CONNECTORS, FIRST_SYNC, type Workload, WORKLOADS } from '../workloads.js';

/** The workload to profile. */
export interface ProfileSubject {
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

export const profileSubject = async (
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
