import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createResource,
  type Identified,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

interface Explanation {
  readonly question: string;
  readonly answer: {
    readonly text: string;
    readonly role?: string | null;
    readonly member?: boolean;
    readonly tx_permission?: boolean | null;
  };
  readonly facts: readonly { readonly kind: string; readonly text: string }[];
  readonly would_change: readonly { readonly text: string; readonly role?: string }[];
}

const gateway = TestGateway.use();
let operator: Client;
let tenant: TestTenant;
let base: string;

beforeAll(async () => {
  operator = await gateway.operator();
  tenant = await gateway.tenant({ default_role: 'member' });
  base = `/tenants/${tenant.slug}`;
});

const createUser = (userName: string): Promise<string> =>
  createResource(tenant.scim, '/Users', { schemas: [USER_URN], userName });
const createRoom = (name: string): Promise<string> =>
  createResource(operator, `${base}/rooms`, { name });
const createMapping = (name: string, more: object = {}): Promise<string> =>
  createResource(operator, `${base}/role-mappings`, {
    group_display_name: name,
    role: name,
    ...more,
  });
const createGroup = (displayName: string, ...members: readonly string[]): Promise<string> =>
  createResource(tenant.scim, '/Groups', {
    schemas: [GROUP_URN],
    displayName,
    members: members.map((value) => ({ value })),
  });

const explain = async (query: string): Promise<Explanation> => {
  const { status, body } = await operator<Explanation>('GET', `${base}/explain?${query}`);
  expect([status, body]).toMatchObject([200, {}]);
  return body;
};

/** The texts of the facts of one kind. */
const textsOf = ({ facts }: Explanation, kind: string): readonly string[] =>
  facts.filter((fact) => fact.kind === kind).map(({ text }) => text);

const changes = ({ would_change }: Explanation): string =>
  would_change.map(({ text }) => text).join('\n');

describe('the explanation of a role', () => {
  it("names the tenant's default role if no mapping applies", async () => {
    const id = await createUser('default@example.com');
    await createMapping('Unused mapping');
    const explanation = await explain('user=default@example.com&role');
    expect(explanation.answer).toEqual({
      text: 'No role mapping applies to the user, so the role is the tenant\'s default, "member".',
      role: 'member',
    });
    expect(textsOf(explanation, 'default_role')[0]).toContain('because no role mapping does');
    expect(changes(explanation)).toContain(
      'No group is named "Unused mapping": one with the user as a member would give the role',
    );
    expect(textsOf(explanation, 'command')[0]).toContain(
      'user.create over SCIM by the API key "test"',
    );
    // By id, or by e-mail in another case, the explanation is the same.
    for (const query of [`user=${id}&role`, 'user=DEFAULT@example.com&role=true'])
      expect(await explain(query)).toEqual(explanation);
  });

  it('names the mapping with the lowest priority number, or the oldest of several', async () => {
    const id = await createUser('many@example.com');
    for (const [name, priority] of [
      ['Crew', 50],
      ['Leads', 10],
      ['Watch', 10],
      ['Chiefs', 1],
      ['Strangers', 5],
    ] as const)
      await createMapping(name, { priority, apply_on_scim_provisioning: true });
    for (const name of ['Crew', 'Leads', 'Watch', 'Chiefs']) await createGroup(name, id);
    await createGroup('Strangers');
    const off = await operator<{ role_mappings: Identified[] }>(
      'GET',
      `${base}/role-mappings?group_display_name=chiefs`,
    );
    const chiefs = `${base}/role-mappings/${off.body.role_mappings[0]!.id}`;
    await operator('PATCH', chiefs, { apply_on_scim_provisioning: false });

    const explanation = await explain('user=many@example.com&role');
    expect(explanation.answer).toMatchObject({ role: 'Leads' });
    expect(explanation.answer.text).toBe(
      'The role mapping of the group "Leads" gives the role "Leads".',
    );
    const read = await tenant.native<{ role: string }>('GET', `/users/${id}`);
    expect(explanation.answer.role).toBe(read.body.role);
    expect(textsOf(explanation, 'priority')[0]).toContain(
      '2 mappings have priority 10; the oldest wins, that of "Leads"',
    );
    expect(textsOf(explanation, 'role_mapping').join('\n')).toContain(
      'Its role mapping to "Chiefs" has no effect: Apply on SCIM provisioning is off.',
    );
    for (const sentence of [
      'Leaving the group "Leads" would give the role "Watch".',
      'Turning on Apply on SCIM provisioning for the mapping of "Chiefs" would give',
      'A priority below 10 for the mapping of "Watch" would give the role "Watch".',
      'The user is not in the group "Strangers": joining it would give the role "Strangers".',
    ])
      expect(changes(explanation)).toContain(sentence);

    // The suggested change has the predicted effect.
    await operator('PATCH', chiefs, { apply_on_scim_provisioning: true });
    expect((await explain('user=many@example.com&role')).answer.role).toBe('Chiefs');
  });

  it('covers groups without a mapping, and rooms without a group', async () => {
    const id = await createUser('plain@example.com');
    await createRoom('Plain group');
    await createGroup('Plain group', id);
    const bare = await createRoom('Bare room');
    await tenant.native('POST', `/rooms/${bare}/members`, { user_id: id });
    const explanation = await explain(`user=${id}&role`);
    expect(textsOf(explanation, 'no_role_mapping')).toEqual([
      'The user is in the group "Plain group" (room "Plain group"), which has no role mapping.',
    ]);
    expect(textsOf(explanation, 'no_group')).toEqual([
      'The user is in the room "Bare room", which has no SCIM group and gives no role.',
    ]);
    expect(changes(explanation)).toContain('A role mapping for the group "Plain group" would give');
  });
});

describe('the explanation of a room membership', () => {
  it('says whether the user was added through the group or natively', async () => {
    const [first, second] = [
      await createUser('scim@example.com'),
      await createUser('native@example.com'),
    ];
    const id = await createRoom('Dispatch');
    const groupId = await createGroup('Dispatch', first);
    await tenant.native('POST', `/rooms/${id}/members`, { user_id: second, tx_permission: true });

    const scim = await explain('user=scim@example.com&room=dispatch');
    expect(scim.answer).toMatchObject({ member: true, tx_permission: false });
    expect(textsOf(scim, 'membership')[0]).toContain(
      'through its SCIM group: group.create over SCIM by the API key "test". The user may listen',
    );
    expect(textsOf(scim, 'group')[0]).toContain('is mapped to the SCIM group "Dispatch"');
    const native = await explain(`user=${second}&room=${id}`);
    expect(native.answer).toMatchObject({ member: true, tx_permission: true });
    expect(textsOf(native, 'membership')[0]).toContain(
      'directly: member.add over the REST API by the API key "test". The user may transmit.',
    );

    await tenant.scim('PATCH', `/Groups/${groupId}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'remove', path: `members[value eq "${first}"]` }],
    });
    const removed = await explain('user=scim@example.com&room=Dispatch');
    expect(removed.answer).toMatchObject({ member: false, tx_permission: null });
    expect(textsOf(removed, 'command')[0]).toContain('group.change over SCIM');
    expect(changes(removed)).toContain('Adding the user to the group "Dispatch"');
  });

  it('covers a room without a group, and a group with the name of another room', async () => {
    const id = await createUser('outside@example.com');
    await createRoom('Lonely');
    const lonely = await explain(`user=${id}&room=Lonely`);
    expect(lonely.question).toBe('Why is outside@example.com not in the room "Lonely"?');
    expect(lonely.answer).toMatchObject({ member: false });
    expect(textsOf(lonely, 'no_group')[0]).toContain(
      'identity providers cannot change its members',
    );
    expect(changes(lonely)).toContain('Mapping the room (PATCH /rooms/');
    await createMapping('Later');
    await createGroup('Later', id);
    await createRoom('Later');
    const later = await explain(`user=${id}&room=Later`);
    expect(textsOf(later, 'group')[0]).toContain(
      'The SCIM group "Later" has the room\'s name, but is a role-only group',
    );
  });

  it('covers deactivated and deleted users', async () => {
    const id = await createUser('leaving@example.com');
    const roomId = await createRoom('Leaving');
    await tenant.native('POST', `/rooms/${roomId}/members`, { user_id: id });
    await tenant.native('DELETE', `/users/${id}`);
    const deactivated = await explain(`user=${id}&room=Leaving`);
    expect(deactivated.answer).toMatchObject({ member: true });
    expect(deactivated.answer.text).toContain('The user is deactivated and cannot sign in.');
    expect(textsOf(deactivated, 'user')[0]).toContain(
      'is deactivated: the user keeps memberships and role',
    );

    await tenant.scim('DELETE', `/Users/${id}`);
    for (const who of [id, 'leaving@example.com']) {
      const deleted = await explain(`user=${who}&room=Leaving`);
      expect(deleted.answer).toMatchObject({
        member: false,
        text: 'The user was deleted, which ended all memberships.',
      });
      expect(textsOf(deleted, 'user')[0]).toContain('was deleted at 20');
      expect((await explain(`user=${who}&role`)).answer).toMatchObject({ role: null });
    }
  });
});

describe('a request for an explanation', () => {
  it.each([
    ['user=nobody@example.com&role', 404, 'USER_NOT_FOUND'],
    ['user=00000000-0000-4000-8000-000000000001&role', 404, 'USER_NOT_FOUND'],
    ['user=known@example.com&room=Nowhere', 404, 'ROOM_NOT_FOUND'],
    ['user=known@example.com', 400, 'INVALID_REQUEST'],
    ['user=known@example.com&room=Dispatch&role', 400, 'INVALID_REQUEST'],
    ['role', 400, 'INVALID_REQUEST'],
    ['user=known@example.com&role=lead', 400, 'INVALID_REQUEST'],
  ])('with %s returns %i %s', async (query, status, error) => {
    await tenant.scim('POST', '/Users', { schemas: [USER_URN], userName: 'known@example.com' });
    const response = await operator('GET', `${base}/explain?${query}`);
    expect([response.status, response.body]).toMatchObject([status, { error }]);
  });

  it("about another tenant's user returns 404", async () => {
    const id = await createUser('ours@example.com');
    const other = await gateway.tenant();
    for (const who of [id, 'ours@example.com']) {
      const response = await operator('GET', `/tenants/${other.slug}/explain?user=${who}&role`);
      expect(response.body).toMatchObject({ error: 'USER_NOT_FOUND' });
    }
  });
});
