import { serveMethods } from '../../shared/child.js';
import { createAtRate } from './create-at-rate.js';
import { checkSync, runFirstSync } from './first-sync.js';
import { checkFixture, type FixtureName, FIXTURES } from './fixtures.js';
import type { FixtureParams, LoadMethods } from './load-methods.js';
import { type Fixture, NO_FIXTURE } from './operation.js';
import { OPERATIONS } from './operations.js';
import { readDirectory } from './read-directory.js';
import { forCount, forSeconds, runClients } from './run-clients.js';
import { attempt } from './send-checked.js';
import type { KnownUser, Target } from './target.js';

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
