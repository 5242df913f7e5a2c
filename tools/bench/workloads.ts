import type { OperationName } from './load/operations.js';

/** Closed-loop requests: each client sends its next one after the response to the last. */
export interface Workload {
  readonly id: string;
  readonly title: string;
  readonly operation: OperationName;
  readonly clients: number;
  /** Events that each request causes: the round ends when they are delivered. */
  readonly events: number;
  /** Members of a group that must exist in addition to the users. */
  readonly team?: number;
}

/** One client, since identity providers send the changes of a group one after the other. */
const groupPatch = (id: string, team: number): Workload => {
  const title = `group PATCH, one user joins or leaves a group of ${team.toLocaleString('en')}, 1 client`;
  return { id, title, operation: 'joinAndLeave', clients: 1, events: 1, team };
};

const bulk = (creates: number, operation: OperationName): Workload => {
  const title = `Bulk of ${creates} creates, 1 client`;
  return { id: `W7-${creates}`, title, operation, clients: 1, events: creates };
};

const create = (clients: number): Workload => {
  const title = `POST /Users, ${clients} client${clients === 1 ? '' : 's'}`;
  return { id: `W1-${clients}`, title, operation: 'create', clients, events: 1 };
};

/**
 * In the order in which they run: those that add users come last. Workloads with the same id up to
 * the dash are a family: they share their rounds, so that they can be compared.
 */
export const WORKLOADS: readonly Workload[] = [
  { id: 'W2', title: 'GET by id, 8 clients', operation: 'read', clients: 8, events: 0 },
  { id: 'W3', title: 'filter userName eq, 8 clients', operation: 'find', clients: 8, events: 0 },
  {
    id: 'W4',
    title: 'page of 100 in the middle, 8 clients',
    operation: 'page',
    clients: 8,
    events: 0,
  },
  { id: 'W5', title: 'PATCH active, 8 clients', operation: 'toggle', clients: 8, events: 1 },
  groupPatch('W6-10', 10),
  groupPatch('W6-10k', 10_000),
  create(1),
  create(8),
  create(64),
  bulk(100, 'bulk100'),
  bulk(1_000, 'bulk1000'),
];

const familyOf = ({ id }: Workload): string => id.split('-')[0] ?? id;

/** Groups workloads by family, in their order. */
export const groupByFamily = (workloads: readonly Workload[]): readonly (readonly Workload[])[] => {
  const families = new Map<string, Workload[]>();
  for (const workload of workloads) {
    const family = families.get(familyOf(workload)) ?? [];
    families.set(familyOf(workload), [...family, workload]);
  }
  return [...families.values()];
};

/** Workloads that are not closed-loop requests. */
export const START = 'W9';
export const FIRST_SYNC = 'W8';
export const DRAIN = 'drain';
export const CONNECTORS = 'connectors';

export const ALL_IDS: readonly string[] = [
  START,
  FIRST_SYNC,
  ...WORKLOADS.map(({ id }) => id),
  DRAIN,
  CONNECTORS,
];

/** The ids that a name stands for: W1 stands for W1-1, W1-8 and W1-64. */
export const idsFor = (name: string): readonly string[] => {
  const prefix = `${name.toLowerCase()}-`;
  return ALL_IDS.filter((id) => `${id.toLowerCase()}-`.startsWith(prefix));
};
