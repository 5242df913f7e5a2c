import { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import { timeInWords } from '../../src/domain/kernel/in-words.js';
import { eventually } from '../support/eventually.js';
import {
  type Client,
  createResource,
  createUsersInBulk,
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
    readonly not_member_because?: string;
  };
  readonly facts: readonly (Readonly<Record<string, string>> & {
    readonly kind: string;
    readonly text: string;
  })[];
  readonly would_change: readonly {
    readonly text: string;
    readonly role?: string;
    readonly remedy?: {
      readonly action: string;
      readonly method: string;
      readonly path: string;
      readonly body?: object;
    };
  }[];
}

let databaseUri = '';
const gateway = TestGateway.use((uri) => {
  databaseUri = uri;
  return {};
});
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
      'Joining the group "Unused mapping", which does not exist yet, would give the role',
    );
    expect(textsOf(explanation, 'command')[0]).toContain(
      'The API key "test" created the user "default@example.com" over SCIM.',
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
      'Joining the group "Strangers" would give the role "Strangers".',
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
    expect(scim.answer.text).toMatch(
      /^Added to the room "Dispatch" by the API key "test" over SCIM on .+ UTC\. The user may listen, but not transmit\.$/,
    );
    expect(textsOf(scim, 'membership')[0]).toContain('without the permission to transmit');
    expect(textsOf(scim, 'group')[0]).toContain('is mapped to the SCIM group "Dispatch"');
    const native = await explain(`user=${second}&room=${id}`);
    expect(native.answer).toMatchObject({ member: true, tx_permission: true });
    expect(native.answer.text).toContain('by the API key "test" over the REST API on ');
    expect(native.answer.text).toMatch(/UTC\. The user may transmit\.$/);
    expect(textsOf(native, 'membership')).toEqual([]);

    await tenant.scim('PATCH', `/Groups/${groupId}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'remove', path: `members[value eq "${first}"]` }],
    });
    const removed = await explain('user=scim@example.com&room=Dispatch');
    expect(removed.answer).toMatchObject({
      member: false,
      tx_permission: null,
      not_member_because: 'removed',
    });
    expect(textsOf(removed, 'command')).toEqual([
      'The API key "test" added the user to the group "Dispatch" over SCIM.',
    ]);
    expect(changes(removed)).toContain('Adding the user to the group "Dispatch"');
  });

  it('covers a room without a group, and a group with the name of another room', async () => {
    const id = await createUser('outside@example.com');
    await createRoom('Lonely');
    const lonely = await explain(`user=${id}&room=Lonely`);
    expect(lonely.question).toBe('Why is outside@example.com not in the room "Lonely"?');
    expect(lonely.answer).toMatchObject({ member: false });
    expect(lonely.answer.text).toContain('The room has no SCIM group: only operators');
    expect(textsOf(lonely, 'no_group')).toEqual([]);
    expect(changes(lonely)).toBe('Adding the user to the room.');
    await createMapping('Later');
    await createGroup('Later', id);
    await createRoom('Later');
    const later = await explain(`user=${id}&room=Later`);
    expect(later.answer.text).toContain('The group "Later" exists, but has no room');
    expect(textsOf(later, 'group')).toEqual([]);
  });

  it('covers deactivated and deleted users', async () => {
    const id = await createUser('leaving@example.com');
    const roomId = await createRoom('Leaving');
    await tenant.native('POST', `/rooms/${roomId}/members`, { user_id: id });
    await tenant.native('DELETE', `/users/${id}`);
    const deactivated = await explain(`user=${id}&room=Leaving`);
    expect(deactivated.answer).toMatchObject({ member: true });
    expect(deactivated.answer.text).toContain('the user cannot sign in.');

    await tenant.scim('DELETE', `/Users/${id}`);
    for (const who of [id, 'leaving@example.com']) {
      const deleted = await explain(`user=${who}&room=Leaving`);
      expect(deleted.answer).toMatchObject({
        member: false,
        text: expect.stringMatching(
          /^leaving@example\.com was deleted by the API key "test" over SCIM on .+ UTC, which ended all memberships\.$/,
        ) as string,
      });
      expect((await explain(`user=${who}&role`)).answer).toMatchObject({ role: null });
    }
  });
});

describe('why a user is no longer in a room', () => {
  const REMOVED = /^Removed from the room "(.+)" by (.+) (over .+|in the dashboard) on (.+ UTC)\.$/;

  /** A room with its group, in which the user is. */
  const aMember = async (name: string) => {
    const user = await createUser(`${name}@example.com`);
    const room = await createRoom(name);
    const group = await createGroup(name, user);
    return { user, room, group };
  };
  const patchGroup = (group: string, operation: object, requestId: string) =>
    tenant.scim(
      'PATCH',
      `/Groups/${group}`,
      { schemas: [PATCH_URN], Operations: [operation] },
      { 'x-request-id': requestId },
    );

  it('is said with the time, the actor and the request, and a link to the log', async () => {
    // Given
    const { user, room, group } = await aMember('removed-once');
    const remove = { op: 'remove', path: `members[value eq "${user}"]` };
    await patchGroup(group, remove, 'removed-by-this');
    // And later commands on both
    await tenant.native('PATCH', `/users/${user}`, { display_name: 'Later' });
    await operator('PATCH', `${base}/rooms/${room}`, { name: 'Renamed' });
    // When
    const { answer } = await explain(`user=${user}&room=${room}`);
    // Then
    const [, ...parts] = REMOVED.exec(answer.text) ?? [];
    expect(parts.slice(0, 3)).toEqual(['Renamed', 'the API key "test"', 'over SCIM']);
    const { body: log } = await operator<{ commands: { id: string; at: string }[] }>(
      'GET',
      `${base}/commands?request_id=removed-by-this`,
    );
    const entry = log.commands[0]!;
    expect(Date.parse(parts[3]!.replace(' at', ''))).toBe(
      Math.floor(Date.parse(entry.at) / 60_000) * 60_000,
    );
    const link = `/admin/v1${base}/commands/${entry.id}`;
    expect(answer).toMatchObject({ command_id: entry.id, link, request_id: 'removed-by-this' });
    expect((await operator('GET', link.replace('/admin/v1', ''))).body).toMatchObject(entry);
  });

  it('is the last removal, of one who was added again in between', async () => {
    const { user, room } = await aMember('removed-twice');
    const member = `/rooms/${room}/members/${user}`;
    await tenant.native('DELETE', member, undefined, { 'x-request-id': 'first-removal' });
    await tenant.native('POST', `/rooms/${room}/members`, { user_id: user });
    await operator('DELETE', `${base}${member}`, undefined, { 'x-request-id': 'second-removal' });
    const { answer } = await explain(`user=${user}&room=${room}`);
    expect(REMOVED.exec(answer.text)?.slice(2, 4)).toEqual([
      'the admin token',
      "over the operators' API",
    ]);
    expect(answer).toMatchObject({ request_id: 'second-removal' });
  });

  it('is found in a change of more members than the log shows', async () => {
    // Given a group of 120, emptied by one request
    const users = await createUsersInBulk(tenant, 'many-removed', 120);
    const room = await createRoom('Many removed');
    const group = await createGroup('Many removed', ...users);
    await patchGroup(group, { op: 'replace', path: 'members', value: [] }, 'removed-all-120');
    // When
    for (const user of [users[0]!, users[119]!]) {
      const { answer } = await explain(`user=${user}&room=${room}`);
      // Then
      expect(answer).toMatchObject({ request_id: 'removed-all-120' });
    }
  });

  it('is said of a job by the request that started it', async () => {
    // Given a room of 1,200, emptied by one request
    const users = await createUsersInBulk(tenant, 'job-removed', 1_200);
    const room = await createRoom('Job removed');
    const group = await createGroup('Job removed', ...users);
    await patchGroup(group, { op: 'replace', path: 'members', value: [] }, 'removed-by-a-job');
    await eventually(async () => {
      const { body } = await tenant.native('GET', `/rooms/${room}`);
      expect(body).toMatchObject({ member_count: 0 });
    });
    // When
    const { answer } = await explain(`user=${users[600]!}&room=${room}`);
    // Then
    expect(REMOVED.exec(answer.text)?.slice(2, 4)).toEqual(['the API key "test"', 'over SCIM']);
    expect(answer).toMatchObject({ request_id: 'removed-by-a-job' });
  });

  it('is that the user never was, if the log reaches back to when both existed', async () => {
    const user = await createUser('never@example.com');
    const room = await createRoom('Never');
    const { answer, facts } = await explain(`user=${user}&room=${room}`);
    expect(answer).toMatchObject({
      text:
        'Never added to the room "Never". The room has no SCIM group: only operators and the REST API ' +
        'can change its members.',
      not_member_because: 'never_added',
    });
    expect(facts.some(({ kind }) => kind === 'membership')).toBe(false);
  });

  it('is unknown once the log has deleted the entries of that time', async () => {
    // Given a user who was removed, and a log that has deleted this
    const { user, room } = await aMember('forgotten');
    await tenant.native('DELETE', `/rooms/${room}/members/${user}`);
    await createUser('later@example.com');
    const client = new mongo.MongoClient(databaseUri);
    try {
      const log = client.db().collection('command_log');
      const kept = await log.findOne({ 'subject.name': 'later@example.com' });
      await log.deleteMany({ tenant: kept!.tenant as string, at: { $lt: kept!.at as Date } });
      // When
      const { answer } = await explain(`user=${user}&room=${room}`);
      // Then
      expect(answer).toMatchObject({ member: false, not_member_because: 'unknown' });
      expect(answer.text).toBe(
        'Not in the room "forgotten". Whether the user was removed is unknown: the provisioning ' +
          `log has no removal since ${timeInWords(kept!.at as Date)}, and earlier entries are not ` +
          'available.',
      );
    } finally {
      await client.close();
    }
  });
});

describe('what would change a membership', () => {
  /** Follows a remedy as a client would. */
  const follow = async (explanation: Explanation, action: string, more: object = {}) => {
    const { remedy } = explanation.would_change.find((one) => one.remedy?.action === action)!;
    const path = remedy!.path.replace('/admin/v1', '');
    const { status } = await operator(
      remedy!.method,
      path,
      remedy!.body && { ...remedy!.body, ...more },
    );
    expect(status).toBeLessThan(300);
  };

  it('names calls of this API that do it', async () => {
    const user = await createUser('followed@example.com');
    const room = await createRoom('Followed');
    const query = `user=${user}&room=${room}`;
    const outside = await explain(query);
    await follow(outside, 'add_member');
    const inside = await explain(query);
    expect(inside.answer).toMatchObject({ member: true, tx_permission: false });
    await follow(inside, 'update_member');
    expect((await explain(query)).answer).toMatchObject({ tx_permission: true });
    await follow(inside, 'remove_member');
    expect((await explain(query)).answer).toMatchObject({ member: false });
  });

  it('of a role names the group of each fact, and a mapping that would win', async () => {
    const user = await createUser('ranked@example.com');
    await createMapping('First rank', { priority: 7 });
    await createMapping('Second rank', { priority: 9 });
    const group = await createGroup('First rank', user);
    await createGroup('Second rank', user);
    const explanation = await explain(`user=${user}&role`);
    expect(explanation.facts.find(({ group_id }) => group_id === group)).toMatchObject({
      group_id: group,
      group_name: 'First rank',
    });
    await follow(explanation, 'update_role_mapping');
    expect((await explain(`user=${user}&role`)).answer).toMatchObject({ role: 'Second rank' });
  });
});

describe('a request for an explanation', () => {
  it.each([
    ['user=nobody@example.com&role', 404, 'USER_NOT_FOUND'],
    ['user=00000000-0000-4000-8000-000000000001&role', 404, 'USER_NOT_FOUND'],
    ['user=known@example.com&room=00000000-0000-4000-8000-000000000001', 404, 'ROOM_NOT_FOUND'],
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
