import type { Answered, Caller } from './caller.js';
import { DemoFailure } from './demo-failure.js';
import * as entra from './entra.js';
import type { Mailbox } from './mailbox.js';
import * as okta from './okta.js';
import { ENTRA_PEOPLE, nameOf, OKTA_PEOPLE, type Person } from './people.js';
import type { Stage } from './stage.js';

/** Who plays. */
export interface Cast {
  readonly stage: Stage;
  readonly mailbox: Mailbox;
  readonly operator: Caller;
  readonly okta: Caller;
  readonly entra: Caller;
  /** An integrator's own program on the native interface. */
  readonly board: Caller;
  readonly slug: string;
  /** Deletes the tenant, once. */
  readonly clearAway: () => Promise<void>;
}

export const FIRST_SEATS = 4;
const MORE_SEATS = 6;

const { ada, grace, mary } = OKTA_PEOPLE;
const { alan, joan } = ENTRA_PEOPLE;

const pathOf = ({ id }: Answered): string => `/Users/${id ?? ''}`;
const nobodyYet = ({ totalResults }: Answered): string =>
  `${totalResults ?? '?'} found: free to make`;
const stateOf = ({ displayName, active }: Answered): string =>
  `${displayName ?? ''} is ${active === true ? 'active' : 'not active'}`;

const insist = (holds: boolean, what: string): void => {
  if (!holds) throw new DemoFailure(what);
};

const showSeats = async ({ board }: Cast, used: number): Promise<void> => {
  const usage = await board('GET', '/usage', {
    expect: 200,
    say: ({ seats_provisioned, seat_capacity }) =>
      `${seats_provisioned ?? '?'} of ${seat_capacity ?? '?'} seats used`,
  });
  insist(usage.seats_provisioned === used, `${used} seats should be used.`);
};

const showUsers = async ({ board }: Cast, active: boolean, count: number): Promise<void> => {
  const what = active ? 'active' : 'deactivated';
  const users = await board('GET', '/users', {
    query: { active: String(active) },
    expect: 200,
    say: ({ total }) => `${total ?? '?'} ${what}`,
  });
  insist(users.total === count, `${count} users should be ${what}.`);
};

const testConnections = async (cast: Cast): Promise<void> => {
  cast.stage.chapter('Connection tests', 'what both providers try before they begin');
  const found = ({ totalResults }: Answered): string =>
    `${totalResults ?? '?'} users, as it should be`;
  const query = okta.connectionTest;
  await cast.okta('GET', '/Users', { query, expect: 200, say: found });
  const miss = await cast.entra('GET', '/Users', {
    query: entra.connectionTest(),
    expect: 200,
    say: ({ totalResults }) => `a miss is ${totalResults ?? '?'} results, no 404`,
  });
  insist(miss.totalResults === 0, 'A look-up of nobody should find nobody.');
};

const joinFromOkta = async (cast: Cast, person: Person): Promise<Answered> => {
  const query = okta.lookUp(person);
  await cast.okta('GET', '/Users', { query, expect: 200, say: nobodyYet });
  const body = okta.newUser(person);
  const user = await cast.okta('POST', '/Users', { body, expect: 201, say: stateOf });
  await cast.mailbox.expect('user.created');
  return user;
};

const joinFromEntra = async (cast: Cast, person: Person): Promise<Answered> => {
  const query = entra.lookUp(person);
  await cast.entra('GET', '/Users', { query, expect: 200, say: nobodyYet });
  const body = entra.newUser(person, 'Operations');
  const user = await cast.entra('POST', '/Users', { body, expect: 201, say: stateOf });
  await cast.mailbox.expect('user.created');
  return user;
};

/** Everybody who has joined, as the provider that brought him keeps him. */
interface Joined {
  readonly ada: Answered;
  readonly alan: Answered;
  readonly joan: Answered;
}

const letJoin = async (cast: Cast): Promise<Joined> => {
  cast.stage.chapter('Joiners', 'looked up first, then created');
  const first = await joinFromOkta(cast, ada);
  await joinFromOkta(cast, grace);
  const second = await joinFromEntra(cast, alan);
  const third = await joinFromEntra(cast, joan);
  await showUsers(cast, true, 4);
  await showSeats(cast, FIRST_SEATS);
  return { ada: first, alan: second, joan: third };
};

const runOutOfSeats = async (cast: Cast): Promise<void> => {
  cast.stage.chapter('No seat left', 'refused without a trace, until an operator makes room');
  const body = okta.newUser(mary);
  const refused = await cast.okta('POST', '/Users', {
    body,
    expect: 403,
    say: ({ error }) => String(error),
  });
  insist(refused.error === 'SEAT_CAPACITY_REACHED', 'The code should be SEAT_CAPACITY_REACHED.');
  await showSeats(cast, FIRST_SEATS);
  await cast.operator('PATCH', `/tenants/${cast.slug}`, {
    body: { seat_capacity: MORE_SEATS },
    expect: 200,
    say: ({ seat_capacity }) => `${String(seat_capacity)} seats from now on`,
  });
  await cast.okta('POST', '/Users', { body, expect: 201, say: stateOf });
  await cast.mailbox.expect('user.created');
  await showSeats(cast, 5);
};

const change = async (cast: Cast, { ada: known, alan: other }: Joined): Promise<void> => {
  cast.stage.chapter('Changes', 'Okta puts the whole user, Entra patches');
  const user = await cast.okta('GET', pathOf(known), { expect: 200, say: stateOf });
  const married = { ...ada, family: 'King' };
  const body = okta.renamed(user, married);
  const put = await cast.okta('PUT', pathOf(known), { body, expect: 200, say: stateOf });
  insist(put.displayName === nameOf(married), 'The new name should be there.');
  await cast.mailbox.expect('user.updated');
  const patch = entra.moved({ ...alan, family: 'Mathison' }, 'Analysis');
  await cast.entra('PATCH', pathOf(other), { body: patch, expect: 200, say: stateOf });
  await cast.mailbox.expect('user.updated');
  await cast.entra('PATCH', pathOf(other), {
    body: patch,
    expect: 200,
    say: () => 'nothing new: no event',
  });
};

const leave = async (cast: Cast, { ada: known, joan: other }: Joined): Promise<void> => {
  cast.stage.chapter('Leavers', 'deactivated; Entra deletes some time later');
  const body = okta.setActive(false);
  await cast.okta('PATCH', pathOf(known), { body, expect: 200, say: stateOf });
  await cast.mailbox.expect('user.deactivated');
  const patch = entra.setActive(false);
  await cast.entra('PATCH', pathOf(other), { body: patch, expect: 200, say: stateOf });
  await cast.mailbox.expect('user.deactivated');
  await showSeats(cast, 3);
  await cast.entra('DELETE', pathOf(other), { expect: 204, say: () => 'gone for the outside' });
  await cast.mailbox.expect('user.deleted');
  await cast.entra('GET', pathOf(other), { expect: 404, say: ({ error }) => String(error) });
  await showUsers(cast, false, 1);
};

const comeBack = async (cast: Cast, { ada: known }: Joined): Promise<void> => {
  cast.stage.chapter('A come-back', 'the same person, the same id');
  const found = await cast.okta('GET', '/Users', {
    query: okta.lookUp(ada),
    expect: 200,
    say: ({ Resources }) => `found, ${Resources?.[0]?.active === false ? 'not active' : 'active'}`,
  });
  insist(found.Resources?.[0]?.id === known.id, 'The id should be the same.');
  const body = okta.setActive(true);
  await cast.okta('PATCH', pathOf(known), { body, expect: 200, say: stateOf });
  await cast.mailbox.expect('user.reactivated');
  await cast.board('GET', `/users/${known.id ?? ''}`, {
    expect: 200,
    say: ({ display_name, active }) => `${display_name ?? ''}, active: ${String(active)}`,
  });
  await showSeats(cast, 4);
};

/** A day, from the connection tests to somebody's return. */
export const playDay = async (cast: Cast): Promise<void> => {
  await testConnections(cast);
  const joined = await letJoin(cast);
  await runOutOfSeats(cast);
  await change(cast, joined);
  await leave(cast, joined);
  await comeBack(cast, joined);
};
