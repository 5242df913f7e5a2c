import { check, type DemoClient, type ResponseBody } from './demo-client.js';
import { entra, okta, type Person } from './identity-providers.js';
import type { Output } from './output.js';
import type { WebhookInbox } from './webhook-inbox.js';

/** A tenant with a client for each key, and a webhook. */
export interface DemoTenant {
  readonly slug: string;
  readonly output: Output;
  readonly inbox: WebhookInbox;
  readonly operator: DemoClient;
  readonly okta: DemoClient;
  readonly entra: DemoClient;
  /** An integrator's program that uses the native REST API. */
  readonly app: DemoClient;
}

export const FIRST_CAPACITY = 4;
const HIGHER_CAPACITY = 6;
const ROOM = 'Dispatch';
const ROLE_GROUP = 'Supervisors';
const ROLE = 'supervisor';

const ADA: Person = { given: 'Ada', family: 'Lovelace', title: 'Dispatcher' };
const GRACE: Person = { given: 'Grace', family: 'Hopper', title: 'Watch officer' };
const MARY: Person = { given: 'Mary', family: 'Jackson', title: 'Radio operator' };
const ALAN: Person = { given: 'Alan', family: 'Turing', title: 'Analyst' };
const JOAN: Person = { given: 'Joan', family: 'Clarke', title: 'Engineer' };

/** The SCIM ids of the users that the later steps change. */
interface Users {
  readonly ada: string;
  readonly grace: string;
  readonly alan: string;
  readonly joan: string;
}

const describeUser = ({ displayName, active }: ResponseBody): string =>
  `${displayName ?? ''}, ${active === true ? 'active' : 'inactive'}`;

const describeMatches = ({ totalResults }: ResponseBody): string => `${totalResults ?? '?'} users`;

const checkSeats = async ({ app }: DemoTenant, used: number): Promise<void> => {
  const usage = await app(
    'GET',
    '/usage',
    200,
    ({ seats_provisioned, seat_capacity }) =>
      `${seats_provisioned ?? '?'} of ${seat_capacity ?? '?'} seats in use`,
  );
  check(usage.seats_provisioned === used, `Expected ${used} seats in use.`);
};

const checkUsers = async ({ app }: DemoTenant, active: boolean, count: number): Promise<void> => {
  const state = active ? 'active' : 'inactive';
  const describe = ({ total }: ResponseBody) => `${total ?? '?'} ${state}`;
  const users = await app('GET', `/users?active=${String(active)}`, 200, describe);
  check(users.total === count, `Expected ${count} ${state} users.`);
};

const testConnections = async (tenant: DemoTenant): Promise<void> => {
  tenant.output.section('Connection tests', 'what Okta and Entra send when you connect them');
  await tenant.okta('GET', okta.connectionTest, 200, describeMatches);
  await tenant.entra(
    'GET',
    entra.connectionTest,
    200,
    (found) => `${describeMatches(found)}; no 404`,
  );
};

const createUsers = async (tenant: DemoTenant): Promise<Users> => {
  tenant.output.section('Create users', 'each provider searches for a user before it creates one');
  const create = async (provider: 'okta' | 'entra', person: Person): Promise<string> => {
    const requests = { okta, entra }[provider];
    await tenant[provider]('GET', requests.findUser(person), 200, describeMatches);
    const body = requests.createUser(person);
    const { id = '' } = await tenant[provider]('POST', '/Users', 201, describeUser, body);
    await tenant.inbox.expect('user.created');
    return id;
  };
  const users = {
    ada: await create('okta', ADA),
    grace: await create('okta', GRACE),
    alan: await create('entra', ALAN),
    joan: await create('entra', JOAN),
  };
  await checkUsers(tenant, true, FIRST_CAPACITY);
  await checkSeats(tenant, FIRST_CAPACITY);
  return users;
};

const reachSeatLimit = async (tenant: DemoTenant): Promise<void> => {
  tenant.output.section('Seat limit', 'the fifth user is refused until the operator adds seats');
  const body = okta.createUser(MARY);
  const describeError = ({ error }: ResponseBody) => String(error);
  const refused = await tenant.okta('POST', '/Users', 403, describeError, body);
  check(refused.error === 'SEAT_CAPACITY_REACHED', 'Expected SEAT_CAPACITY_REACHED.');
  await checkSeats(tenant, FIRST_CAPACITY);
  await tenant.operator('PATCH', `/tenants/${tenant.slug}`, 200, `${HIGHER_CAPACITY} seats`, {
    seat_capacity: HIGHER_CAPACITY,
  });
  await tenant.okta('POST', '/Users', 201, describeUser, body);
  await tenant.inbox.expect('user.created');
  await checkSeats(tenant, FIRST_CAPACITY + 1);
};

const updateUsers = async (tenant: DemoTenant, users: Users): Promise<void> => {
  tenant.output.section('Update users', 'Okta sends the whole user, Entra sends a PATCH');
  const path = `/Users/${users.ada}`;
  const user = await tenant.okta('GET', path, 200, describeUser);
  const body = okta.renameUser(user, { ...ADA, family: 'King' });
  const renamed = await tenant.okta('PUT', path, 200, describeUser, body);
  check(renamed.displayName === 'Ada King', 'Expected the new name.');
  await tenant.inbox.expect('user.updated');
  const patch = entra.updateUser({ ...ALAN, family: 'Mathison' });
  await tenant.entra('PATCH', `/Users/${users.alan}`, 200, describeUser, patch);
  await tenant.inbox.expect('user.updated');
  await tenant.entra('PATCH', `/Users/${users.alan}`, 200, 'the same again: no event', patch);
};

const pushGroup = async (tenant: DemoTenant, users: Users): Promise<void> => {
  tenant.output.section('Group and room', 'a group of the same name fills a room');
  const room = { name: ROOM };
  await tenant.operator('POST', `/tenants/${tenant.slug}/rooms`, 201, `created room ${ROOM}`, room);
  const group = okta.createGroup(ROOM, [
    [users.ada, ADA],
    [users.grace, GRACE],
  ]);
  await tenant.okta('POST', '/Groups', 201, `group ${ROOM}, 2 members`, group);
  await tenant.inbox.expect('group.created', 'room.member_added', 'room.member_added');
  const { rooms: [filled] = [] } = await tenant.app(
    'GET',
    '/rooms',
    200,
    ({ rooms: [found] = [] }) =>
      `room ${found?.display_name ?? '?'}, ${found?.member_count ?? '?'} members`,
  );
  check(filled?.member_count === 2, 'Expected two members in the room.');
  const path = `/rooms/${filled?.id ?? ''}/members`;
  const speak = { tx_permission: true };
  await tenant.app('PATCH', `${path}/${users.ada}`, 200, 'Ada may transmit', speak);
  await tenant.inbox.expect('room.member_updated');
  await tenant.app('GET', path, 200, ({ members = [] }) => {
    const speakers = members.filter(({ tx_permission }) => tx_permission).length;
    return `${speakers} may transmit, ${members.length - speakers} may only listen`;
  });
};

const mapRole = async (tenant: DemoTenant, { alan }: Users): Promise<void> => {
  tenant.output.section('Role', 'members of a mapped group get its role');
  const mapping = { group_display_name: ROLE_GROUP, role: ROLE };
  const mappings = `/tenants/${tenant.slug}/role-mappings`;
  await tenant.operator('POST', mappings, 201, `${ROLE_GROUP}: role ${ROLE}`, mapping);
  const body = entra.createGroup(ROLE_GROUP);
  const group = await tenant.entra('POST', '/Groups', 201, `group ${ROLE_GROUP}, no room`, body);
  await tenant.inbox.expect('group.created');
  const path = `/Groups/${group.id ?? ''}`;
  await tenant.entra('PATCH', path, 204, 'added Alan', entra.addMember(alan));
  await tenant.inbox.expect('group.member_added', 'user.updated');
  const describe = ({ display_name, role }: ResponseBody) =>
    `${display_name ?? ''}, role ${role ?? '?'}`;
  const user = await tenant.app('GET', `/users/${alan}`, 200, describe);
  check(user.role === ROLE, `Expected the role ${ROLE}.`);
};

const removeUsers = async (tenant: DemoTenant, { ada, joan }: Users): Promise<void> => {
  const about = 'Entra deletes a user some time after deactivation';
  tenant.output.section('Deactivate and delete', about);
  await tenant.okta('PATCH', `/Users/${ada}`, 200, describeUser, okta.setActive(false));
  await tenant.inbox.expect('user.deactivated');
  const path = `/Users/${joan}`;
  await tenant.entra('PATCH', path, 200, describeUser, entra.setActive(false));
  await tenant.inbox.expect('user.deactivated');
  await checkSeats(tenant, 3);
  await tenant.entra('DELETE', path, 204, 'deleted');
  await tenant.inbox.expect('user.deleted');
  await tenant.entra('GET', path, 404, ({ error }) => String(error));
  await checkUsers(tenant, false, 1);
};

const reactivateUser = async (tenant: DemoTenant, { ada }: Users): Promise<void> => {
  tenant.output.section('Reactivate', 'the same user with the same id');
  const { Resources: [found] = [] } = await tenant.okta(
    'GET',
    okta.findUser(ADA),
    200,
    ({ Resources: [user] = [] }) => (user ? describeUser(user) : 'not found'),
  );
  check(found?.id === ada, 'Expected the same id.');
  await tenant.okta('PATCH', `/Users/${ada}`, 200, describeUser, okta.setActive(true));
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
