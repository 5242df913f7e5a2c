import type {
  ActivityReader,
  CapturedRequest,
  CapturedRequests,
  ExplainReader,
} from '../../src/ports/command-log.js';
import type { ConnectionStore } from '../../src/ports/connections.js';
import type { OperatorLog, OperatorLogEntry } from '../../src/ports/operator-log.js';
import type { AdminTokens } from '../../src/ports/operators.js';
import type { EventReader, SearchReader } from '../../src/ports/tenants.js';
import type { ReadSystem } from '../../src/ports/system.js';
import { raise } from '../../src/domain/kernel/refusals.js';
import { cookieRulesFor, type Sessions } from '../../src/http/access/sessions.js';
import type { JobWaitOptions } from '../../src/http/run-operation.js';

/** The event log of a tenant without events. */
export const NO_EVENTS: EventReader = {
  page: (_tenantId, { after }) =>
    Promise.resolve({ events: [], upTo: after, hasMore: false, hasGap: false }),
};

const notFound = () => Promise.resolve(undefined);
const refuse = () => Promise.resolve(raise('USER_NOT_FOUND', 'No user has this id.'));

/** Explains nothing: there are no users. */
export const NO_EXPLANATIONS: ExplainReader = {
  findUser: notFound,
  findDeleted: notFound,
  holderOf: notFound,
  findRoom: notFound,
  refusedUsers: () => Promise.resolve([]),
  missingUsers: () => Promise.resolve([]),
  similar: () => Promise.resolve({ rooms: [], groups: [], refused: [] }),
  roomHistory: () => Promise.resolve([]),
  role: refuse,
  room: refuse,
};

/** The activity of a tenant without commands. */
export const NO_ACTIVITY: ActivityReader = {
  count: () => Promise.resolve(0),
  points: () => Promise.resolve([]),
};

/** The operators' log in memory. */
export const memoryOperatorLog = (): OperatorLog => {
  const entries: OperatorLogEntry[] = [];
  return {
    append: (entry) => Promise.resolve(void entries.unshift(entry)),
    page: ({ operator, limit }) =>
      Promise.resolve(
        entries
          .filter(
            ({ actor, subject }) =>
              operator === undefined || [actor.id, subject].includes(operator),
          )
          .slice(0, limit),
      ),
  };
};

/** Records no sign-ins. */
export const NO_SIGN_IN_LOG = { done: () => Promise.resolve(), refused: () => Promise.resolve() };

/** Seals in the open. */
export const OPEN_SEAL = {
  seal: (plain: string) => Buffer.from(plain).toString('base64url'),
  unseal: (text: string) => Buffer.from(text, 'base64url').toString(),
};

/** Captured requests in memory. */
export const memoryCapturedRequests = (): CapturedRequests => {
  const all: CapturedRequest[] = [];
  return {
    add: (requests) => Promise.resolve(void all.unshift(...[...requests].reverse())),
    page: (tenantId, { limit }) =>
      Promise.resolve({
        requests: all.filter((one) => one.tenantId === tenantId).slice(0, limit),
      }),
    find: (tenantId, id) =>
      Promise.resolve(all.find((one) => one.tenantId === tenantId && one.id === id)),
  };
};

/** Connections of which nothing is kept. */
export const NO_CONNECTIONS: ConnectionStore = {
  add: () => Promise.resolve(),
  addFailures: () => Promise.resolve(),
  find: () => Promise.resolve(new Map()),
  cycles: () => Promise.resolve([]),
  failures: () => Promise.resolve([]),
};

/** Finds nothing. */
export const NO_RESULTS: SearchReader = { find: () => Promise.resolve([]) };

const EPOCH = new Date(0);

/** One gateway and its database. */
export const ONE_GATEWAY: ReadSystem = () =>
  Promise.resolve({
    version: '0.0.0',
    node: '20.0.0',
    startedAt: EPOCH,
    instanceId: 'this',
    instances: [
      { id: 'this', host: 'here', version: '0.0.0', startedAt: EPOCH, heartbeatAt: EPOCH },
    ],
    database: {
      version: '8.0.0',
      isSupported: true,
      kind: 'embedded',
      replicaSet: 'rs0',
      members: ['127.0.0.1:27017'],
      pingMs: 1,
    },
    checks: [],
  });

/** For an edge whose commands never start a job. */
export const NO_WAITING: JobWaitOptions = {
  awaitJobs: () => Promise.resolve(undefined),
  drainSignal: new AbortController().signal,
};

/** Admin tokens in memory, with a plain hash. */
export const fakeAdminTokens = (first: string): AdminTokens => {
  let valid = first;
  const hashOf = (token: string): string => `hash of ${token}`;
  return {
    hashOf,
    findHash: () => Promise.resolve(hashOf(valid)),
    rotate: (hash) => {
      if (hash !== hashOf(valid)) return Promise.resolve(undefined);
      valid = `${valid}-rotated`;
      return Promise.resolve({ token: valid, path: '/data/admin-token', wasConfigured: false });
    },
  };
};

/** No browser is signed in, and none can be. */
export const NO_SESSIONS: Sessions = {
  find: () => Promise.resolve(undefined),
  cookieIn: () => undefined,
  begin: () => Promise.reject(new Error('There are no sessions.')),
  end: () => Promise.reject(new Error('There are no sessions.')),
  cookies: () => cookieRulesFor('http://127.0.0.1'),
};
