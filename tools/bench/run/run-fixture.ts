import type { WrongResponse } from '../load/load-recorder.js';
import type { TestedServer } from '../servers/tested-server.js';
import type { Workload } from '../workloads.js';
import type { BenchContext } from './bench-context.js';

/** Creates the workload's fixture, or checks it at the end. Returns the first wrong response. */
export const runFixture = async (
  { load }: BenchContext,
  { label, waitForDeliveries }: TestedServer,
  { fixture }: Workload,
  method: 'createFixture' | 'checkFixture',
): Promise<WrongResponse | undefined> => {
  if (!fixture) return undefined;
  const { result, wrong } = await load.call(method, { label, fixture });
  if (result !== undefined) await waitForDeliveries(result);
  return wrong;
};
