import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, TestGateway, type TestTenant } from '../support/gateway.js';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

interface Identified {
  readonly id: string;
}

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

const made = async (client: Client, path: string, body: object): Promise<string> => {
  const answer = await client<Identified>('POST', path, body);
  expect([answer.status, answer.body]).toMatchObject([201, {}]);
  return answer.body.id;
};

const user = (userName: string): Promise<string> =>
  made(tenant.scim, '/Users', { schemas: [USER], userName });
const room = (name: string): Promise<string> => made(operator, `${base}/rooms`, { name });
const mapping = (name: string, more: object = {}): Promise<string> =>
  made(operator, `${base}/role-mappings`, { group_display_name: name, role: name, ...more });
const group = (displayName: string, ...members: readonly string[]): Promise<string> =>
  made(tenant.scim, '/Groups', {
    schemas: [GROUP],
    displayName,
    members: members.map((value) => ({ value })),
  });

const explain = async (query: string): Promise<Explanation> => {
  const { status, body } = await operator<Explanation>('GET', `${base}/explain?${query}`);
  expect([status, body]).toMatchObject([200, {}]);
  return body;
};

/** The sentences of one kind. */
const said = ({ facts }: Explanation, kind: string): readonly string[] =>
  facts.filter((fact) => fact.kind === kind).map(({ text }) => text);

const changes = ({ would_change }: Explanation): string =>
  would_change.map(({ text }) => text).join('\n');

describe('why a user has a role', () => {
  it('is the default of the tenant where no mapping applies', async () => {
    const id = await user('default@example.com');
    await mapping('Nobody pushed this');
    const told = await explain('user=default@example.com&role');
    expect(told.answer).toEqual({
      text: 'No role mapping applies to the user, so the role is the tenant\'s default, "member".',
      role: 'member',
    });
    expect(said(told, 'default_role')[0]).toContain('because no role mapping does');
    expect(changes(told)).toContain(
      'No group is named "Nobody pushed this": one with the user as a member would give the role',
    );
    expect(said(told, 'command')[0]).toContain('user.create over SCIM by the API key "test"');
    // Asked by its id, and by its address in another case, it is the same.
    for (const query of [`user=${id}&role`, 'user=DEFAULT@example.com&role=true'])
      expect(await explain(query)).toEqual(told);
  });

  it('is the lowest priority number’s, and the older mapping’s of two that are equal', async () => {
    const id = await user('many@example.com');
    for (const [name, priority] of [
      ['Crew', 50],
      ['Leads', 10],
      ['Watch', 10],
      ['Chiefs', 1],
      ['Strangers', 5],
    ] as const)
      await mapping(name, { priority, apply_on_scim_provisioning: true });
    for (const name of ['Crew', 'Leads', 'Watch', 'Chiefs']) await group(name, id);
    await group('Strangers');
    const off = await operator<{ role_mappings: Identified[] }>(
      'GET',
      `${base}/role-mappings?group_display_name=chiefs`,
    );
    const chiefs = `${base}/role-mappings/${off.body.role_mappings[0]!.id}`;
    await operator('PATCH', chiefs, { apply_on_scim_provisioning: false });

    const told = await explain('user=many@example.com&role');
    expect(told.answer).toMatchObject({ role: 'Leads' });
    expect(told.answer.text).toBe('The role mapping of the group "Leads" gives the role "Leads".');
    const read = await tenant.native<{ role: string }>('GET', `/users/${id}`);
    expect(told.answer.role).toBe(read.body.role);
    expect(said(told, 'priority')[0]).toContain(
      '2 mappings have priority 10: the one that was created first wins, that of "Leads"',
    );
    expect(said(told, 'role_mapping').join('\n')).toContain(
      'Its role mapping to "Chiefs" gives nobody the role: Apply on SCIM provisioning is off.',
    );
    for (const sentence of [
      'Leaving the group "Leads" would give the role "Watch".',
      'Turning on Apply on SCIM provisioning for the mapping of "Chiefs" would give',
      'A priority below 10 for the mapping of "Watch" would give the role "Watch".',
      'The user is not in the group "Strangers": joining it would give the role "Strangers".',
    ])
      expect(changes(told)).toContain(sentence);

    // What it says would change the role does so.
    await operator('PATCH', chiefs, { apply_on_scim_provisioning: true });
    expect((await explain('user=many@example.com&role')).answer.role).toBe('Chiefs');
  });

  it('covers groups without a mapping, and rooms without a group', async () => {
    const id = await user('plain@example.com');
    await room('Plain group');
    await group('Plain group', id);
    const bare = await room('Bare room');
    await tenant.native('POST', `/rooms/${bare}/members`, { user_id: id });
    const told = await explain(`user=${id}&role`);
    expect(said(told, 'no_role_mapping')).toEqual([
      'The user is in the group "Plain group" (room "Plain group"). No role mapping is for this group.',
    ]);
    expect(said(told, 'no_group')).toEqual([
      'The user is in the room "Bare room", which has no SCIM group: it gives no role.',
    ]);
    expect(changes(told)).toContain('A role mapping for the group "Plain group" would give');
  });
});

describe('why a user is in a room', () => {
  it('says which users were added through the group, and which natively', async () => {
    const [first, second] = [await user('scim@example.com'), await user('native@example.com')];
    const id = await room('Dispatch');
    const groupId = await group('Dispatch', first);
    await tenant.native('POST', `/rooms/${id}/members`, { user_id: second, tx_permission: true });

    const scim = await explain('user=scim@example.com&room=dispatch');
    expect(scim.answer).toMatchObject({ member: true, tx_permission: false });
    expect(said(scim, 'membership')[0]).toContain(
      'through its SCIM group: group.create over SCIM by the API key "test". The user may listen',
    );
    expect(said(scim, 'group')[0]).toContain('is mapped to the SCIM group "Dispatch"');
    const native = await explain(`user=${second}&room=${id}`);
    expect(native.answer).toMatchObject({ member: true, tx_permission: true });
    expect(said(native, 'membership')[0]).toContain(
      'directly: member.add over the REST API by the API key "test". The user may transmit.',
    );

    await tenant.scim('PATCH', `/Groups/${groupId}`, {
      schemas: [PATCH],
      Operations: [{ op: 'remove', path: `members[value eq "${first}"]` }],
    });
    const removed = await explain('user=scim@example.com&room=Dispatch');
    expect(removed.answer).toMatchObject({ member: false, tx_permission: null });
    expect(said(removed, 'command')[0]).toContain('group.change over SCIM');
    expect(changes(removed)).toContain('Adding the user to the group "Dispatch"');
  });

  it('says that the room has no group, and that a group of its name has another', async () => {
    const id = await user('outside@example.com');
    await room('Lonely');
    const lonely = await explain(`user=${id}&room=Lonely`);
    expect(lonely.question).toBe('Why is outside@example.com not in the room "Lonely"?');
    expect(lonely.answer).toMatchObject({ member: false });
    expect(said(lonely, 'no_group')[0]).toContain('identity providers cannot change its members');
    expect(changes(lonely)).toContain('Mapping the room (PATCH /rooms/');
    await mapping('Later');
    await group('Later', id);
    await room('Later');
    const later = await explain(`user=${id}&room=Later`);
    expect(said(later, 'group')[0]).toContain(
      'The SCIM group "Later" has the room\'s name, but is a role-only group',
    );
  });

  it('covers deactivated and deleted users', async () => {
    const id = await user('leaving@example.com');
    const roomId = await room('Leaving');
    await tenant.native('POST', `/rooms/${roomId}/members`, { user_id: id });
    await tenant.native('DELETE', `/users/${id}`);
    const deactivated = await explain(`user=${id}&room=Leaving`);
    expect(deactivated.answer).toMatchObject({ member: true });
    expect(deactivated.answer.text).toContain('The user is deactivated and cannot sign in.');
    expect(said(deactivated, 'user')[0]).toContain('is deactivated: memberships and role stay');

    await tenant.scim('DELETE', `/Users/${id}`);
    for (const who of [id, 'leaving@example.com']) {
      const deleted = await explain(`user=${who}&room=Leaving`);
      expect(deleted.answer).toMatchObject({
        member: false,
        text: 'The user was deleted; all memberships ended then.',
      });
      expect(said(deleted, 'user')[0]).toContain('was deleted at 20');
      expect((await explain(`user=${who}&role`)).answer).toMatchObject({ role: null });
    }
  });
});

describe('a question', () => {
  it.each([
    ['user=nobody@example.com&role', 404, 'USER_NOT_FOUND'],
    ['user=00000000-0000-4000-8000-000000000001&role', 404, 'USER_NOT_FOUND'],
    ['user=asked@example.com&room=Nowhere', 404, 'ROOM_NOT_FOUND'],
    ['user=asked@example.com', 400, 'INVALID_REQUEST'],
    ['user=asked@example.com&room=Dispatch&role', 400, 'INVALID_REQUEST'],
    ['role', 400, 'INVALID_REQUEST'],
    ['user=asked@example.com&role=lead', 400, 'INVALID_REQUEST'],
  ])('%s is answered %i %s', async (query, status, error) => {
    await tenant.scim('POST', '/Users', { schemas: [USER], userName: 'asked@example.com' });
    const answer = await operator('GET', `${base}/explain?${query}`);
    expect([answer.status, answer.body]).toMatchObject([status, { error }]);
  });

  it('about another tenant’s user is 404', async () => {
    const id = await user('ours@example.com');
    const other = await gateway.tenant();
    for (const who of [id, 'ours@example.com']) {
      const answer = await operator('GET', `/tenants/${other.slug}/explain?user=${who}&role`);
      expect(answer.body).toMatchObject({ error: 'USER_NOT_FOUND' });
    }
  });
});
