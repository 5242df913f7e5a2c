import { givesList, givesUser } from './answer-faults.js';
import { bulk } from './bulk-work.js';
import type { Exchange } from './connection.js';
import { findGroup, join, readGroup } from './group-works.js';
import { anyOf, type Ground, type Work } from './ground.js';
import { lookUp } from './look-ups.js';
import { postUser } from './provision.js';
import { PATCH_SCHEMA, scimUser } from './scim-user.js';

const PAGE = 100;
/** How far pages lie around the middle, so that no two clients ask for the same. */
const SWAY = 400;

const noUsers = (): never => {
  throw new Error('The directory is empty.');
};

const create = ({ run }: Ground): Work => {
  let number = 0;
  return () => [postUser(scimUser(run, (number += 1)))];
};

const read = ({ users }: Ground): Work => {
  return () => {
    const { id, userName } = anyOf(users);
    const fault = givesUser(200, { id, userName });
    return [{ method: 'GET', path: `/Users/${id}`, fault }];
  };
};

const find = ({ users }: Ground): Work => {
  return () => {
    const user = anyOf(users);
    const filter = encodeURIComponent(`userName eq "${user.userName}"`);
    const fault = givesList({ total: 1, users: [user] });
    return [{ method: 'GET', path: `/Users?filter=${filter}`, fault }];
  };
};

const page = ({ users }: Ground): Work => {
  const middle = Math.floor(users.length / 2 - PAGE / 2);
  return () => {
    const startIndex = middle + Math.floor((Math.random() - 0.5) * SWAY);
    const expected = users.slice(startIndex - 1, startIndex - 1 + PAGE);
    const fault = givesList({ total: users.length, startIndex, users: expected });
    return [{ method: 'GET', path: `/Users?startIndex=${startIndex}&count=${PAGE}`, fault }];
  };
};

const setActive = (id: string, active: boolean): Exchange => ({
  method: 'PATCH',
  path: `/Users/${id}`,
  body: JSON.stringify({
    schemas: [PATCH_SCHEMA],
    Operations: [{ op: 'replace', path: 'active', value: active }],
  }),
  fault: givesUser(200, { id, active }),
});

/** Each client has its own users, spread over the directory. */
const toggle = ({ users, clients }: Ground): Work => {
  const share = Math.floor(users.length / clients);
  return (client) => {
    const place = client + clients * Math.floor(Math.random() * share);
    const { id } = users[place] ?? noUsers();
    return [setActive(id, false), setActive(id, true)];
  };
};

export const WORKS = {
  create,
  read,
  find,
  page,
  toggle,
  ...lookUp,
  readGroup,
  findGroup,
  join,
  bulk100: bulk(100),
  bulk1000: bulk(1_000),
} as const satisfies Record<string, (ground: Ground) => Work>;

export type WorkName = keyof typeof WORKS;
