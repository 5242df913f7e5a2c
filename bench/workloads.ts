import type { WorkName } from './load/works.js';

/** A workload of closed-loop requests (docs/benchmarks.md says what each is). */
export interface Workload {
  readonly id: string;
  readonly title: string;
  readonly work: WorkName;
  readonly clients: number;
  /** Events that each request makes, so that the deliveries can be waited for. */
  readonly events: 0 | 1;
}

/**
 * In the order in which they run: what reads comes before what makes the directory grow. Further
 * ones (groups, Bulk, a first sync) need a work in load/works.ts and a line here.
 */
export const WORKLOADS: readonly Workload[] = [
  { id: 'W2', title: 'GET by id, 8 clients', work: 'read', clients: 8, events: 0 },
  { id: 'W3', title: 'filter userName eq, 8 clients', work: 'find', clients: 8, events: 0 },
  { id: 'W4', title: 'page of 100 in the middle, 8 clients', work: 'page', clients: 8, events: 0 },
  { id: 'W5', title: 'PATCH active, 8 clients', work: 'toggle', clients: 8, events: 1 },
  { id: 'W1-1', title: 'POST /Users, 1 client', work: 'create', clients: 1, events: 1 },
  { id: 'W1-8', title: 'POST /Users, 8 clients', work: 'create', clients: 8, events: 1 },
  { id: 'W1-64', title: 'POST /Users, 64 clients', work: 'create', clients: 64, events: 1 },
];

/** Measured in ways of their own. */
export const STARTING = 'W9';
export const WEBHOOKS = 'webhooks';

export const ALL_IDS: readonly string[] = [STARTING, ...WORKLOADS.map(({ id }) => id), WEBHOOKS];

/** The ids that a name on the command line stands for: W1 is all of W1-1, W1-8 and W1-64. */
export const idsFor = (name: string): readonly string[] => {
  const wanted = name.toLowerCase();
  return ALL_IDS.filter((id) => `${id.toLowerCase()}-`.startsWith(`${wanted}-`));
};
