import { type TimedCreate, createAtRate } from './create-at-rate.js';
import {
  type SyncPlan,
  type SyncResult,
  checkSync,
  runFirstSync,
  type FixtureName,
  checkFixture,
  FIXTURES,
} from './provision.js';
import {
  type LoadStats,
  type Attempt,
  forCount,
  forSeconds,
  runClients,
  attempt,
} from './clients.js';
import { type OperationName, type Fixture, NO_FIXTURE, OPERATIONS } from './operations.js';
import { type KnownGroup, type Target, openConnection, type KnownUser } from './connection.js';
import type { UserListBody } from './response-checks.js';
import { serveMethods } from '../../shared/child.js';

/** The load generator, in a process of its own. */
export interface LoadMethods {
  /** Creates this many users: by POST, or by Bulk if they are many. */
  readonly fill: (params: FillParams) => Promise<LoadStats>;
  /** Reads a server's users, from which later runs choose. */
  readonly register: (params: RegisterParams) => Promise<void>;
  /** Creates a fixture if it does not exist. Resolves with the number of events. */
  readonly createFixture: (params: FixtureParams) => Promise<Attempt<number>>;
  readonly run: (params: RunParams) => Promise<LoadStats>;
  /** Checks a fixture after the runs. Resolves with the number of events. */
  readonly checkFixture: (params: FixtureParams) => Promise<Attempt<number>>;
  readonly createAtRate: (params: RateParams) => Promise<readonly TimedCreate[]>;
  /** Runs a first sync on a server without users. */
  readonly sync: (params: SyncParams) => Promise<Attempt<SyncResult>>;
  readonly checkSync: (params: SyncCheckParams) => Promise<Attempt<void>>;
}

interface FillParams {
  readonly target: Target;
  readonly size: number;
  readonly clients: number;
}

interface RegisterParams {
  readonly label: string;
  readonly target: Target;
  readonly size: number;
}

interface FixtureParams {
  readonly label: string;
  readonly fixture: FixtureName;
}

interface RunParams {
  readonly label: string;
  readonly operation: OperationName;
  readonly fixture: FixtureName | undefined;
  readonly clients: number;
  readonly seconds: number;
}

interface RateParams {
  readonly label: string;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

interface SyncParams {
  readonly target: Target;
  readonly clients: number;
  readonly plan: SyncPlan;
}

interface SyncCheckParams {
  readonly target: Target;
  readonly users: number;
  readonly groups: readonly KnownGroup[];
}

/** The largest page that the gateway returns. */
const PAGE = 500;

/** Reads all users page by page, in the order that later pages are compared with. */
const readDirectory = async (target: Target, size: number): Promise<readonly KnownUser[]> => {
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
  readonly fixtures: Map<FixtureName, Fixture>;
}

/** For fixtures and checks. */
const CLIENTS = 8;

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

const fixtureOf = ({ fixtures }: RegisteredServer, name: FixtureName | undefined): Fixture =>
  (name !== undefined && fixtures.get(name)) || NO_FIXTURE;

const createFixture = async ({ label, fixture: name }: FixtureParams): Promise<number> => {
  const { target, users, fixtures } = serverOf(label);
  if (fixtures.has(name)) return 0;
  const { fixture, events } = await FIXTURES[name]({ target, users, clients: CLIENTS });
  fixtures.set(name, fixture);
  return events;
};

const checkFixtureOf = ({ label, fixture }: FixtureParams): Promise<number> => {
  const server = serverOf(label);
  return checkFixture({ target: server.target, clients: CLIENTS }, fixtureOf(server, fixture));
};

const methods: LoadMethods = {
  fill: ({ target, size, clients }) => {
    const input = { ...NO_FIXTURE, users: [], clients, run: 'user' };
    const isLarge = size >= LARGE && size % USERS_PER_BULK === 0;
    return runClients({
      target,
      clients: isLarge ? CLIENTS_WITH_BULK : clients,
      operation: isLarge ? OPERATIONS.bulk1000(input) : OPERATIONS.create(input),
      isOver: forCount(isLarge ? size / USERS_PER_BULK : size),
    });
  },
  register: async ({ label, target, size }) => {
    servers.set(label, { target, users: await readDirectory(target, size), fixtures: new Map() });
  },
  createFixture: (params) => attempt(createFixture(params)),
  run: ({ label, operation, fixture, clients, seconds }) => {
    const server = serverOf(label);
    const { target, users } = server;
    const input = { ...fixtureOf(server, fixture), users, clients, run: `run${(runs += 1)}` };
    return runClients({
      target,
      clients,
      operation: OPERATIONS[operation](input),
      isOver: forSeconds(seconds),
    });
  },
  checkFixture: (params) => attempt(checkFixtureOf(params)),
  createAtRate: ({ label, ...plan }) =>
    createAtRate({ ...plan, target: serverOf(label).target, prefix: `timed${(runs += 1)}` }),
  sync: ({ plan, ...clients }) => attempt(runFirstSync(clients, plan)),
  checkSync: ({ target, users, groups }) =>
    attempt(checkSync({ target, clients: CLIENTS }, users, groups)),
};

serveMethods(methods);
