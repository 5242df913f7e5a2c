import type { Contestant } from '../contestants/contestant.js';
import type { Wrong } from '../load/tally.js';
import type { BenchOptions } from '../options.js';
import { syncTo } from '../run/first-sync.js';
import { withScene } from '../run/set-scene.js';
import type { World } from '../run/world.js';
import { FIRST_SYNC, type Workload, WORKLOADS } from '../workloads.js';

/** What a profile is taken of. */
export interface ProfileSubject {
  readonly id: string;
  readonly title: string;
  /** Users in the directory. */
  readonly size: number;
  readonly warmUp: (contestant: Contestant) => Promise<void>;
  /** To the last delivery; the number of requests. */
  readonly run: (contestant: Contestant) => Promise<number>;
}

/** The subject that was asked for. */
export const profileSubject = (world: World, options: BenchOptions): ProfileSubject => {
  if (options.profile === FIRST_SYNC) return firstSync(world, options);
  const workload = WORKLOADS.find(({ id }) => id === options.profile);
  if (workload) return ofWorkload(world, workload, options);
  throw new Error(`There is no workload ${options.profile ?? ''}.`);
};

const requireRight = (wrong: Wrong | undefined): void => {
  if (wrong) throw new Error(`A wrong answer: ${JSON.stringify(wrong, null, 2)}`);
};

/** In a fresh process, so without any warming up. */
const firstSync = (world: World, { syncUsers }: BenchOptions): ProfileSubject => ({
  id: FIRST_SYNC,
  title: `first sync of ${syncUsers} users`,
  size: 0,
  warmUp: () => Promise.resolve(),
  run: async (contestant) => {
    const { result, wrong } = await syncTo(world, contestant, syncUsers);
    requireRight(wrong);
    return result?.requests ?? NaN;
  },
});

const ofWorkload = (
  world: World,
  workload: Workload,
  { sizes, rounds, seconds, warmUpSeconds }: BenchOptions,
): ProfileSubject => {
  const { id, title, work, clients, events, scene } = workload;
  const run = async ({ label, settled }: Contestant, length: number): Promise<number> => {
    const order = { label, work, scene, clients, seconds: length };
    const { requests, wrong } = await world.load.call('run', order);
    requireRight(wrong);
    await settled(requests * events);
    return requests;
  };
  return {
    id,
    title,
    size: sizes[0] ?? NaN,
    warmUp: async (contestant) => {
      requireRight(await withScene(world, contestant, workload, 'setScene'));
      await run(contestant, warmUpSeconds);
    },
    run: (contestant) => run(contestant, rounds * seconds),
  };
};
