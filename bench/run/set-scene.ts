import type { Contestant } from '../contestants/contestant.js';
import type { Wrong } from '../load/tally.js';
import type { Workload } from '../workloads.js';
import type { World } from './world.js';

/** Makes what the workload needs, or looks at it in the end; what was wrong with the answers. */
export const withScene = async (
  { load }: World,
  { label, settled }: Contestant,
  { scene }: Workload,
  order: 'setScene' | 'checkScene',
): Promise<Wrong | undefined> => {
  if (!scene) return undefined;
  const { result, wrong } = await load.call(order, { label, scene });
  if (result !== undefined) await settled(result);
  return wrong;
};
