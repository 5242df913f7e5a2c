import type { PeerName } from './contestants/contestant.js';
import type { SceneName } from './load/scenes.js';
import type { WorkName } from './load/works.js';

/** A workload of closed-loop requests (docs/benchmarks.md says what each is). */
export interface Workload {
  readonly id: string;
  readonly title: string;
  readonly work: WorkName;
  readonly clients: number;
  /** Events that each request makes, so that the deliveries can be waited for. */
  readonly events: number;
  /** What has to be there beside the directory. */
  readonly scene?: SceneName;
  /** For what is compared with itself alone; the peers do not answer it. */
  readonly only?: PeerName;
}

/** One user by a filter of this kind, as fast in a large directory as in a small one. */
const lookUp = (id: string, filter: string, work: WorkName): Workload => {
  const title = `filter ${filter}, 8 clients`;
  return { id, title, work, clients: 8, events: 0, only: 'rollgate' };
};

/** One client, as identity providers change one group by one request after the other. */
const joining = (id: string, members: string, scene: SceneName): Workload => {
  const title = `group PATCH, one joins ${members} or leaves them, 1 client`;
  return { id, title, work: 'join', clients: 1, events: 1, scene };
};

const groupReading = (id: string, title: string, work: WorkName): Workload => {
  return { id, title, work, clients: 8, events: 0, scene: 'departments' };
};

const bulk = (creates: number, work: WorkName): Workload => {
  const title = `Bulk of ${creates} creates, 1 client`;
  return { id: `W7-${creates}`, title, work, clients: 1, events: creates };
};

const creating = (clients: number): Workload => {
  const title = `POST /Users, ${clients} client${clients === 1 ? '' : 's'}`;
  return { id: `W1-${clients}`, title, work: 'create', clients, events: 1 };
};

/**
 * In the order in which they run: what reads comes before what makes the directory grow. Those
 * whose ids are alike up to a dash share their rounds, so that they can be compared.
 */
export const WORKLOADS: readonly Workload[] = [
  { id: 'W2', title: 'GET by id, 8 clients', work: 'read', clients: 8, events: 0 },
  { id: 'W3', title: 'filter userName eq, 8 clients', work: 'find', clients: 8, events: 0 },
  lookUp('W3x', 'externalId eq', 'findByExternalId'),
  lookUp('W3e', 'emails.value eq', 'findByEmail'),
  lookUp('W3t', 'emails[type eq "work"].value eq', 'findByWorkEmail'),
  lookUp('W3d', 'displayName eq', 'findByDisplayName'),
  { id: 'W4', title: 'page of 100 in the middle, 8 clients', work: 'page', clients: 8, events: 0 },
  { id: 'W5', title: 'PATCH active, 8 clients', work: 'toggle', clients: 8, events: 1 },
  groupReading('W10', 'GET group without members, 8 clients', 'readGroup'),
  groupReading('W10f', 'filter groups by displayName eq, without members, 8 clients', 'findGroup'),
  joining('W6-10', '10 members', 'teamOf10'),
  joining('W6-10k', '10,000 members', 'teamOf10k'),
  creating(1),
  creating(8),
  creating(64),
  bulk(100, 'bulk100'),
  bulk(1_000, 'bulk1000'),
];

/** What comes before the dash, where there is one. */
const familyOf = ({ id }: Workload): string => id.split('-')[0] ?? id;

/** Workloads in their order, those that share their rounds together. */
export const inFamilies = (workloads: readonly Workload[]): readonly (readonly Workload[])[] => {
  const families = new Map<string, Workload[]>();
  for (const workload of workloads) {
    const family = families.get(familyOf(workload)) ?? [];
    families.set(familyOf(workload), [...family, workload]);
  }
  return [...families.values()];
};

/** Measured in ways of their own. */
export const STARTING = 'W9';
export const FIRST_SYNC = 'W8';
export const WEBHOOKS = 'webhooks';
export const DRAINING = 'webhooks-drain';

export const ALL_IDS: readonly string[] = [
  STARTING,
  FIRST_SYNC,
  ...WORKLOADS.map(({ id }) => id),
  WEBHOOKS,
  DRAINING,
];

/**
 * The ids that a name on the command line stands for: W1 is all of W1-1, W1-8 and W1-64, and
 * webhooks is both of what is measured of them.
 */
export const idsFor = (name: string): readonly string[] => {
  const wanted = name.toLowerCase();
  return ALL_IDS.filter((id) => `${id.toLowerCase()}-`.startsWith(`${wanted}-`));
};
