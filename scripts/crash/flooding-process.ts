import { Agent } from 'undici';
import { userCreator } from './create-users.js';
import type { FloodOrder, FloodReport } from './flooder.js';

/**
 * Floods a gateway when its parent says so (flooder.ts). In a process of its own, so that answers
 * to the flood do not stand in line with those that are timed.
 */
const tell = (report: FloodReport): void => void process.send?.(report);

let isWanted = false;
let phases = 0;

const flood = async ({ url, slug, key, width }: FloodOrder): Promise<void> => {
  const dispatcher = new Agent({ connections: width });
  phases += 1;
  let made = 0;
  const client = async (_: unknown, number: number): Promise<void> => {
    const name = `flood-${phases}-${number}`;
    const create = userCreator({ dispatcher, url, slug, key, name });
    while (isWanted) {
      await create();
      made += 1;
      // From now on as many are under way as ever will be.
      if (made === width) tell({ kind: 'high' });
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: width }, client));
  await dispatcher.close();
  tell({ kind: 'over', rate: (made * 1_000) / (performance.now() - began) });
};

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (order: FloodOrder | 'end') => {
  isWanted = order !== 'end';
  if (order === 'end') return;
  flood(order).catch((error: unknown) => tell({ kind: 'broken', why: String(error) }));
});
