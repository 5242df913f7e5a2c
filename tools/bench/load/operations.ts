import { bulk } from './bulk-operation.js';
import type { CheckedRequest } from './connection.js';
import { findGroup, joinAndLeave, readGroup } from './group-operations.js';
import { LOOKUPS } from './lookups.js';
import { type Operation, type OperationInput, pickRandom } from './operation.js';
import { postUser } from './provision.js';
import { expectUser, expectUsers } from './response-checks.js';
import { PATCH_SCHEMA, scimUser } from './scim-user.js';

const PAGE = 100;
/** Pages start this far around the middle, so that clients rarely read the same one. */
const PAGE_SPREAD = 400;

const noUsers = (): never => {
  throw new Error('There are no users.');
};

const create = ({ run }: OperationInput): Operation => {
  let number = 0;
  return () => [postUser(scimUser(run, (number += 1)))];
};

const read = ({ users }: OperationInput): Operation => {
  return () => {
    const { id, userName } = pickRandom(users);
    const check = expectUser(200, { id, userName });
    return [{ method: 'GET', path: `/Users/${id}`, check }];
  };
};

const find = ({ users }: OperationInput): Operation => {
  return () => {
    const user = pickRandom(users);
    const filter = encodeURIComponent(`userName eq "${user.userName}"`);
    const check = expectUsers({ total: 1, users: [user] });
    return [{ method: 'GET', path: `/Users?filter=${filter}`, check }];
  };
};

const page = ({ users }: OperationInput): Operation => {
  const middle = Math.floor(users.length / 2 - PAGE / 2);
  return () => {
    const startIndex = middle + Math.floor((Math.random() - 0.5) * PAGE_SPREAD);
    const expected = users.slice(startIndex - 1, startIndex - 1 + PAGE);
    const check = expectUsers({ total: users.length, startIndex, users: expected });
    return [{ method: 'GET', path: `/Users?startIndex=${startIndex}&count=${PAGE}`, check }];
  };
};

const setActive = (id: string, active: boolean): CheckedRequest => ({
  method: 'PATCH',
  path: `/Users/${id}`,
  body: JSON.stringify({
    schemas: [PATCH_SCHEMA],
    Operations: [{ op: 'replace', path: 'active', value: active }],
  }),
  check: expectUser(200, { id, active }),
});

/** Each client has its own users, spread over all. */
const toggle = ({ users, clients }: OperationInput): Operation => {
  const share = Math.floor(users.length / clients);
  return (client) => {
    const index = client + clients * Math.floor(Math.random() * share);
    const { id } = users[index] ?? noUsers();
    return [setActive(id, false), setActive(id, true)];
  };
};

export const OPERATIONS = {
  create,
  read,
  find,
  page,
  toggle,
  ...LOOKUPS,
  readGroup,
  findGroup,
  joinAndLeave,
  bulk100: bulk(100),
  bulk1000: bulk(1_000),
} as const satisfies Record<string, (input: OperationInput) => Operation>;

export type OperationName = keyof typeof OPERATIONS;
