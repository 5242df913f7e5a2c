import {
  type SyncPlan,
  type SyncResult,
  checkSync,
  runFirstSync,
  checkTeam,
  createTeam,
} from './provision.js';
import { type LoadClients, type LoadStats, forCount, forSeconds, runClients } from './clients.js';
import { type OperationName, NO_TEAM, OPERATIONS, type Team } from './operations.js';
import { type KnownGroup, type Target, openConnection, type KnownUser } from './connection.js';
import type { UserListBody } from './response-checks.js';
import { serveMethods } from '../../shared/child.js';

/** The load generator, in a process of its own. Each method rejects if a response is wrong. */
export interface LoadMethods {
  /** Creates this many users: by POST, or by Bulk if they are many. */
  readonly fill: (directory: Directory) => Promise<void>;
  /** Reads a server's users, from which later runs choose. */
  readonly register: (directory: Directory & Labelled) => Promise<void>;
  /** Creates a group of this many members if there is none. Resolves with the number of events. */
  readonly createTeam: (params: Labelled & { readonly team: number }) => Promise<number>;
  readonly run: (params: RunParams) => Promise<LoadStats>;
  /** Checks a group after the runs. Resolves with the number of events. */
  readonly checkTeam: (params: Labelled & { readonly team: number }) => Promise<number>;
  /** Runs a first sync on a server without users. */
  readonly sync: (params: LoadClients & { readonly plan: SyncPlan }) => Promise<SyncResult>;
  readonly checkSync: (params: {
    readonly target: Target;
    readonly users: number;
    readonly groups: readonly KnownGroup[];
  }) => Promise<void>;
}

interface Directory {
  readonly target: Target;
  readonly size: number;
}

/** Of a server. */
interface Labelled {
  readonly label: string;
}

interface RunParams extends Labelled {
  readonly operation: OperationName;
  readonly team: number | undefined;
  readonly clients: number;
  readonly seconds: number;
}

/** The largest page that the gateway returns. */
const PAGE = 500;

/** Reads all users page by page, in the order that later pages are compared with. */
const readDirectory = async ({ target, size }: Directory): Promise<readonly KnownUser[]> => {
  const connection = openConnection(target);
  const users: KnownUser[] = [];
  try {
    while (users.length < size) users.push(...(await readPage(users.length)));
  } finally {
    await connection.close();
  }
  const distinct = new Set(users.map(({ id }) => id)).size;
  if (distinct === size) return users;
  throw new Error(`The pages of ${target.origin} contain ${distinct} of ${size} users.`);

  async function readPage(from: number): Promise<readonly KnownUser[]> {
    const path = `/Users?startIndex=${from + 1}&count=${PAGE}`;
    const { status, text } = await connection.send({ method: 'GET', path, check: () => undefined });
    const { totalResults, Resources = [] } = JSON.parse(text) as UserListBody;
    if (status === 200 && totalResults === size && Resources.length > 0) {
      return Resources.map(({ id, userName }) => ({ id: String(id), userName: String(userName) }));
    }
    throw new Error(`${target.origin}${path}: ${status} ${text.slice(0, 300)}`);
  }
};

/** A server whose users were read. */
interface RegisteredServer {
  readonly target: Target;
  readonly users: readonly KnownUser[];
  /** By their number of members. */
  readonly teams: Map<number, Team>;
}

/** For groups and checks. */
const CLIENTS = 8;
const CLIENTS_TO_FILL = 64;

/** Directories of this size are created by Bulk: a million users by POST take half an hour. */
const LARGE = 200_000;
const USERS_PER_BULK = 1_000;
/** One is encoded while another is written. */
const CLIENTS_WITH_BULK = 2;

const servers = new Map<string, RegisteredServer>();
let runs = 0;

const serverOf = (label: string): RegisteredServer => {
  const found = servers.get(label);
  if (found) return found;
  throw new Error(`${label} is not registered.`);
};

const methods: LoadMethods = {
  fill: async ({ target, size }) => {
    const isLarge = size >= LARGE && size % USERS_PER_BULK === 0;
    const clients = isLarge ? CLIENTS_WITH_BULK : CLIENTS_TO_FILL;
    const input = { ...NO_TEAM, users: [], clients, run: 'user' };
    await runClients({
      target,
      clients,
      operation: isLarge ? OPERATIONS.bulk1000(input) : OPERATIONS.create(input),
      isOver: forCount(isLarge ? size / USERS_PER_BULK : size),
    });
  },
  register: async ({ label, ...directory }) => {
    const users = await readDirectory(directory);
    servers.set(label, { target: directory.target, users, teams: new Map() });
  },
  createTeam: async ({ label, team: size }) => {
    const { target, users, teams } = serverOf(label);
    if (teams.has(size)) return 0;
    const { team, events } = await createTeam({ target, clients: CLIENTS }, users, size);
    teams.set(size, team);
    return events;
  },
  run: ({ label, operation, team = 0, clients, seconds }) => {
    const { target, users, teams } = serverOf(label);
    const input = { ...(teams.get(team) ?? NO_TEAM), users, clients, run: `run${(runs += 1)}` };
    return runClients({
      target,
      clients,
      operation: OPERATIONS[operation](input),
      isOver: forSeconds(seconds),
    });
  },
  checkTeam: ({ label, team }) => {
    const { target, teams } = serverOf(label);
    return checkTeam({ target, clients: 1 }, teams.get(team) ?? NO_TEAM);
  },
  sync: ({ plan, ...clients }) => runFirstSync(clients, plan),
  checkSync: ({ target, users, groups }) => checkSync({ target, clients: CLIENTS }, users, groups),
};

serveMethods(methods);
