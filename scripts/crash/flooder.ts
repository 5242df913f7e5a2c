import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../tooling/cleanup.js';

export interface FloodOrder {
  readonly url: string;
  readonly slug: string;
  readonly key: string;
  /** Creates that are kept under way. */
  readonly width: number;
}

export type FloodReport =
  | { readonly kind: 'high' }
  | { readonly kind: 'over'; readonly rate: number }
  | { readonly kind: 'broken'; readonly why: string };

/** A tenant that asks for more than the gateway can do. */
export interface Flooder {
  /** Resolves when the flood is as high as it will be; what it does then ends it. */
  readonly begin: () => Promise<void>;
  /** Resolves when all it asked for is answered, with the creates a second. */
  readonly end: () => Promise<number>;
}

const SCRIPT = fileURLToPath(new URL('./flooding-process.ts', import.meta.url));

export const openFlooder = (order: FloodOrder, { defer }: Cleanup): Flooder => {
  const child = fork(SCRIPT, { execArgv: ['--import', 'tsx'] });
  const closed = once(child, 'exit');
  defer(async () => {
    if (child.connected) child.disconnect();
    await closed;
  });
  const next = async <Kind extends FloodReport['kind']>(
    kind: Kind,
  ): Promise<Extract<FloodReport, { kind: Kind }>> => {
    const gone = closed.then(() => ({ kind: 'broken', why: 'its process ended' }) as const);
    const heard = once(child, 'message').then(([report]) => report as FloodReport);
    const report: FloodReport = await Promise.race([heard, gone]);
    if (report.kind === 'broken') throw new Error(`The flood ended: ${report.why}`);
    if (report.kind !== kind) throw new Error(`The flood is ${report.kind}, not ${kind}.`);
    return report as Extract<FloodReport, { kind: Kind }>;
  };
  return {
    begin: async () => {
      const isHigh = next('high');
      child.send(order);
      await isHigh;
    },
    end: async () => {
      const over = next('over');
      child.send('end');
      return (await over).rate;
    },
  };
};
