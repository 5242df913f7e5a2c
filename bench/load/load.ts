import { serveOrders } from '../child/serve-orders.js';
import { paceRequests, type Paced } from './pace-requests.js';
import { readDirectory } from './read-directory.js';
import { forSeconds, forTurns, runClients } from './run-clients.js';
import type { Tallied } from './tally.js';
import type { KnownUser, Target } from './target.js';
import { WORKS, type WorkName } from './works.js';

/** What this process does for the benchmark, in a process of its own beside the contestants. */
export interface LoadOrders {
  /** Makes this many users by POST. */
  readonly fill: (fill: Fill) => Promise<Tallied>;
  /** Reads the directory, which later runs choose from and are checked against. */
  readonly meet: (meeting: Meeting) => Promise<void>;
  readonly run: (run: Run) => Promise<Tallied>;
  readonly pace: (pace: Pace) => Promise<readonly Paced[]>;
}

export interface Fill {
  readonly target: Target;
  readonly size: number;
  readonly clients: number;
}
export interface Meeting {
  readonly label: string;
  readonly target: Target;
  readonly size: number;
}
export interface Run {
  readonly label: string;
  readonly work: WorkName;
  readonly clients: number;
  readonly seconds: number;
}
export interface Pace {
  readonly label: string;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
}

interface Met {
  readonly target: Target;
  readonly users: readonly KnownUser[];
}

const met = new Map<string, Met>();
let runs = 0;

const known = (label: string): Met => {
  const found = met.get(label);
  if (found) return found;
  throw new Error(`${label} was never met.`);
};

const handlers: LoadOrders = {
  fill: ({ target, size, clients }) =>
    runClients({
      target,
      clients,
      work: WORKS.create({ users: [], clients, run: 'user' }),
      isOver: forTurns(size),
    }),
  meet: async ({ label, target, size }) => {
    met.set(label, { target, users: await readDirectory(target, size) });
  },
  run: ({ label, work, clients, seconds }) => {
    const { target, users } = known(label);
    const ground = { users, clients, run: `run${(runs += 1)}` };
    return runClients({ target, clients, work: WORKS[work](ground), isOver: forSeconds(seconds) });
  },
  pace: ({ label, ...pace }) =>
    paceRequests({ ...pace, target: known(label).target, prefix: `paced${(runs += 1)}` }),
};

serveOrders(handlers);
