import { check, type ResponseBody } from './demo-client.js';
import * as entra from './entra.js';
import * as okta from './okta.js';
import { ENTRA_PEOPLE, nameOf, OKTA_PEOPLE, type Person } from './people.js';
import { type DemoTenant, FIRST_CAPACITY } from './set-up.js';

const HIGHER_CAPACITY = 6;
const ROOM = 'Dispatch';
const ROLE_GROUP = 'Supervisors';
const ROLE = 'supervisor';

const { ada, grace, mary } = OKTA_PEOPLE;
const { alan, joan } = ENTRA_PEOPLE;

/** The SCIM ids of the users that the later steps change. */
interface Users {
  readonly ada: string;
  readonly grace: string;
  readonly alan: string;
  readonly joan: string;
}

const describeUser = ({ displayName, active }: ResponseBody): string =>
  `${displayName ?? ''}, ${active === true ? 'active' : 'inactive'}`;

const checkSeats = async ({ app }: DemoTenant, used: number): Promise<void> => {
  const usage = await app('GET', '/usage', {
    expect: 200,
    describe: ({ seats_provisioned, seat_capacity }) =>
      `${seats_provisioned ?? '?'} of ${seat_capacity ?? '?'} seats in use`,
  });
  check(usage.seats_provisioned === used, `Expected ${used} seats in use.`);
};

const checkUsers = async ({ app }: DemoTenant, active: boolean, count: number): Promise<void> => {
  const state = active ? 'active' : 'inactive';
  const users = await app('GET', '/users', {
    query: { active: String(active) },
    expect: 200,
    describe: ({ total }) => `${total ?? '?'} ${state}`,
  });
  check(users.total === count, `Expected ${count} ${state} users.`);
};

const testConnections = async (tenant: DemoTenant): Promise<void> => {
  tenant.output.section('Connection tests', 'what Okta and Entra send when you connect them');
  await tenant.okta('GET', '/Users', {
    query: okta.connectionTest,
    expect: 200,
    describe: ({ totalResults }) => `${totalResults ?? '?'} users`,
  });
  await tenant.entra('GET', '/Users', {
    query: entra.connectionTest(),
    expect: 200,
    describe: ({ totalResults }) => `${totalResults ?? '?'} users; no 404`,
  });
};

const createFromOkta = async (tenant: DemoTenant, person: Person): Promise<string> => {
  const query = okta.findUser(person);
  await tenant.okta('GET', '/Users', { query, expect: 200, describe: describeMatches });
  const body = okta.createUser(person);
  const { id = '' } = await tenant.okta('POST', '/Users', {
    body,
    expect: 201,
    describe: describeUser,
  });
  await tenant.inbox.expect('user.created');
  return id;
};

const createFromEntra = async (tenant: DemoTenant, person: Person): Promise<string> => {
  const query = entra.findUser(person);
  await tenant.entra('GET', '/Users', { query, expect: 200, describe: describeMatches });
  const body = entra.createUser(person, 'Operations');
  const { id = '' } = await tenant.entra('POST', '/Users', {
    body,
    expect: 201,
    describe: describeUser,
  });
  await tenant.inbox.expect('user.created');
  return id;
};

const describeMatches = ({ totalResults }: ResponseBody): string => `${totalResults ?? '?'} users`;

const createUsers = async (tenant: DemoTenant): Promise<Users> => {
  tenant.output.section('Create users', 'each provider searches for a user before it creates one');
  const users = {
    ada: await createFromOkta(tenant, ada),
    grace: await createFromOkta(tenant, grace),
    alan: await createFromEntra(tenant, alan),
    joan: await createFromEntra(tenant, joan),
  };
  await checkUsers(tenant, true, FIRST_CAPACITY);
  await checkSeats(tenant, FIRST_CAPACITY);
  return users;
};

const reachSeatLimit = async (tenant: DemoTenant): Promise<void> => {
  tenant.output.section('Seat limit', 'the fifth user is refused until the operator adds seats');
  const body = okta.createUser(mary);
  const refused = await tenant.okta('POST', '/Users', {
    body,
    expect: 403,
    describe: ({ error }) => String(error),
  });
  check(refused.error === 'SEAT_CAPACITY_REACHED', 'Expected SEAT_CAPACITY_REACHED.');
  await checkSeats(tenant, FIRST_CAPACITY);
  await tenant.operator('PATCH', `/tenants/${tenant.slug}`, {
    body: { seat_capacity: HIGHER_CAPACITY },
    expect: 200,
    describe: ({ seat_capacity }) => `${String(seat_capacity)} seats`,
  });
  await tenant.okta('POST', '/Users', { body, expect: 201, describe: describeUser });
  await tenant.inbox.expect('user.created');
  await checkSeats(tenant, FIRST_CAPACITY + 1);
};

const updateUsers = async (tenant: DemoTenant, users: Users): Promise<void> => {
  tenant.output.section('Update users', 'Okta sends the whole user, Entra sends a PATCH');
  const path = `/Users/${users.ada}`;
  const user = await tenant.okta('GET', path, { expect: 200, describe: describeUser });
  const renamed = { ...ada, family: 'King' };
  const put = await tenant.okta('PUT', path, {
    body: okta.renameUser(user, renamed),
    expect: 200,
    describe: describeUser,
  });
  check(put.displayName === nameOf(renamed), 'Expected the new name.');
  await tenant.inbox.expect('user.updated');
  const patch = entra.updateUser({ ...alan, family: 'Mathison' }, 'Analysis');
  const patchAlan = (describe: (response: ResponseBody) => string) =>
    tenant.entra('PATCH', `/Users/${users.alan}`, { body: patch, expect: 200, describe });
  await patchAlan(describeUser);
  await tenant.inbox.expect('user.updated');
  await patchAlan(() => 'the same again: no event');
};

const pushGroup = async (tenant: DemoTenant, users: Users): Promise<void> => {
  tenant.output.section('Group and room', 'a group of the same name fills a room');
  await tenant.operator('POST', `/tenants/${tenant.slug}/rooms`, {
    body: { name: ROOM },
    expect: 201,
    describe: () => `created room ${ROOM}`,
  });
  const members = [
    { id: users.ada, person: ada },
    { id: users.grace, person: grace },
  ];
  await tenant.okta('POST', '/Groups', {
    body: okta.createGroup(ROOM, members),
    expect: 201,
    describe: ({ displayName }) => `group ${displayName ?? ''}, 2 members`,
  });
  await tenant.inbox.expect('group.created', 'room.member_added', 'room.member_added');
  const { rooms: [room] = [] } = await tenant.app('GET', '/rooms', {
    expect: 200,
    describe: ({ rooms: [found] = [] }) =>
      `room ${found?.display_name ?? '?'}, ${found?.member_count ?? '?'} members`,
  });
  check(room?.member_count === 2, 'Expected two members in the room.');
  const path = `/rooms/${room?.id ?? ''}/members`;
  await tenant.app('PATCH', `${path}/${users.ada}`, {
    body: { tx_permission: true },
    expect: 200,
    describe: () => 'Ada may transmit',
  });
  await tenant.inbox.expect('room.member_updated');
  const describeMembers = ({ members: listed = [] }: ResponseBody): string => {
    const speakers = listed.filter(({ tx_permission }) => tx_permission).length;
    return `${speakers} may transmit, ${listed.length - speakers} may only listen`;
  };
  await tenant.app('GET', path, { expect: 200, describe: describeMembers });
};

const mapRole = async (tenant: DemoTenant, { alan: id }: Users): Promise<void> => {
  tenant.output.section('Role', 'members of a mapped group get its role');
  await tenant.operator('POST', `/tenants/${tenant.slug}/role-mappings`, {
    body: { group_display_name: ROLE_GROUP, role: ROLE },
    expect: 201,
    describe: () => `${ROLE_GROUP}: role ${ROLE}`,
  });
  const group = await tenant.entra('POST', '/Groups', {
    body: entra.createGroup(ROLE_GROUP),
    expect: 201,
    describe: () => `group ${ROLE_GROUP}, no room`,
  });
  await tenant.inbox.expect('group.created');
  await tenant.entra('PATCH', `/Groups/${group.id ?? ''}`, {
    body: entra.addMember(id),
    expect: 204,
    describe: () => 'added Alan',
  });
  await tenant.inbox.expect('group.member_added', 'user.updated');
  const user = await tenant.app('GET', `/users/${id}`, {
    expect: 200,
    describe: ({ display_name, role }) => `${display_name ?? ''}, role ${role ?? '?'}`,
  });
  check(user.role === ROLE, `Expected the role ${ROLE}.`);
};

const removeUsers = async (tenant: DemoTenant, users: Users): Promise<void> => {
  tenant.output.section(
    'Deactivate and delete',
    'Entra deletes a user some time after deactivation',
  );
  await tenant.okta('PATCH', `/Users/${users.ada}`, {
    body: okta.setActive(false),
    expect: 200,
    describe: describeUser,
  });
  await tenant.inbox.expect('user.deactivated');
  const path = `/Users/${users.joan}`;
  await tenant.entra('PATCH', path, {
    body: entra.setActive(false),
    expect: 200,
    describe: describeUser,
  });
  await tenant.inbox.expect('user.deactivated');
  await checkSeats(tenant, 3);
  await tenant.entra('DELETE', path, { expect: 204, describe: () => 'deleted' });
  await tenant.inbox.expect('user.deleted');
  await tenant.entra('GET', path, { expect: 404, describe: ({ error }) => String(error) });
  await checkUsers(tenant, false, 1);
};

const reactivateUser = async (tenant: DemoTenant, { ada: id }: Users): Promise<void> => {
  tenant.output.section('Reactivate', 'the same user with the same id');
  const { Resources: [found] = [] } = await tenant.okta('GET', '/Users', {
    query: okta.findUser(ada),
    expect: 200,
    describe: ({ Resources: [user] = [] }) => (user ? describeUser(user) : 'not found'),
  });
  check(found?.id === id, 'Expected the same id.');
  await tenant.okta('PATCH', `/Users/${id}`, {
    body: okta.setActive(true),
    expect: 200,
    describe: describeUser,
  });
  await tenant.inbox.expect('user.reactivated');
  await checkSeats(tenant, 4);
};

/** Sends what two identity providers send in a tenant's life, and waits for each webhook. */
export const runSteps = async (tenant: DemoTenant): Promise<void> => {
  await testConnections(tenant);
  const users = await createUsers(tenant);
  await reachSeatLimit(tenant);
  await updateUsers(tenant, users);
  await pushGroup(tenant, users);
  await mapRole(tenant, users);
  await removeUsers(tenant, users);
  await reactivateUser(tenant, users);
};
