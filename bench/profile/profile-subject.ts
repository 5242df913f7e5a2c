import type { WrongResponse } from '../load/load-recorder.js';
import type { BenchOptions } from '../options.js';
import type { BenchContext } from '../run/bench-context.js';
import { syncTo } from '../run/first-sync.js';
import { runFixture } from '../run/run-fixture.js';
import type { TestedServer } from '../servers/tested-server.js';
import { FIRST_SYNC, type Workload, WORKLOADS } from '../workloads.js';

/** The workload to profile. */
export interface ProfileSubject {
  readonly id: string;
  readonly title: string;
  /** Users in the directory. */
  readonly size: number;
  readonly warmUp: (server: TestedServer) => Promise<void>;
  /** Includes the deliveries. Resolves with the number of requests. */
  readonly run: (server: TestedServer) => Promise<number>;
}

export const profileSubject = (context: BenchContext, options: BenchOptions): ProfileSubject => {
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
