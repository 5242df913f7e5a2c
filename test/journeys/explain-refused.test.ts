import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Client,
  createResource,
  type Identified,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { logged } from '../support/logged.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

interface Explanation {
  readonly question: string;
  readonly answer: Readonly<Record<string, unknown>> & { readonly text: string };
  readonly facts: readonly (Readonly<Record<string, string>> & { readonly text: string })[];
  readonly would_change: readonly {
    readonly text: string;
    readonly remedy?: Readonly<Record<string, unknown>> & {
      readonly action: string;
      readonly method: 'POST' | 'PATCH' | 'DELETE';
      readonly path: string;
      readonly body?: object;
    };
  }[];
}

const gateway = TestGateway.use();
let operator: Client;
let tenant: TestTenant;
let base: string;

beforeEach(async () => {
  operator = await gateway.operator();
  tenant = await gateway.tenant({ seat_capacity: 2 });
  base = `/tenants/${tenant.slug}`;
});

const createUser = (userName: string, more: object = {}): Promise<string> =>
  createResource(tenant.scim, '/Users', { schemas: [USER_URN], userName, ...more });
const pushUser = async (userName: string, more: object = {}) =>
  logged(
    gateway,
    tenant.slug,
    await tenant.scim('POST', '/Users', { schemas: [USER_URN], userName, ...more }),
  );
const createRoom = (name: string): Promise<string> =>
  createResource(operator, `${base}/rooms`, { name });
const pushGroup = async (displayName: string, ...members: readonly string[]) =>
  logged(
    gateway,
    tenant.slug,
    await tenant.scim<Identified>('POST', '/Groups', {
      schemas: [GROUP_URN],
      displayName,
      members: members.map((value) => ({ value })),
    }),
  );

const explain = async (query: Readonly<Record<string, string>>): Promise<Explanation> => {
  const { status, body } = await operator<Explanation>(
    'GET',
    `${base}/explain?${new URLSearchParams(query).toString()}`,
  );
  expect([status, body]).toMatchObject([200, {}]);
  return body;
};

const textOf = ({ answer, facts, would_change }: Explanation): string =>
  [answer, ...facts, ...would_change].map(({ text }) => text).join('\n');

const remedyIn = ({ would_change }: Explanation, action: string) => {
  const found = would_change.find(({ remedy }) => remedy?.action === action)?.remedy;
  if (!found) throw new Error(`no ${action} in ${JSON.stringify(would_change)}`);
  return found;
};

/** Does what a button of the dashboard does. */
const carryOut = async (explanation: Explanation, action: string) => {
  const { method, path, body } = remedyIn(explanation, action);
  const { status } = await operator(method, path.replace('/admin/v1', ''), body);
  expect(status).toBeLessThan(300);
};

const TIME = String.raw`\d{1,2} [A-Z][a-z]+ 20\d\d at \d\d:\d\d UTC`;
/** No sentence has an id or a machine's time. */
const expectInWords = (explanation: Explanation): void => {
  const text = textOf(explanation);
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  expect(text).not.toMatch(/\dT\d\d:\d\d/);
  const sentences = [explanation.answer, ...explanation.facts].map((one) => one.text);
  expect(new Set(sentences).size).toBe(sentences.length);
};

describe('why a user is not in a room', () => {
  it('is that the user was never created, because all seats were taken', async () => {
    // Given
    await createUser('first@example.com');
    await createUser('second@example.com');
    await createRoom('Dispatch');
    for (const userName of ['ada@example.com', 'grace@example.com'])
      expect((await pushUser(userName, { displayName: 'Ada Lovelace' })).status).toBe(403);
    // When
    const question = { user: 'ada@example.com', room: 'Dispatch' };
    const explanation = await explain(question);
    // Then
    expect(explanation.question).toBe('Why is ada@example.com not in the room "Dispatch"?');
    expect(explanation.answer).toMatchObject({
      member: false,
      not_member_because: 'never_created',
      command_id: expect.any(String) as string,
      request_id: expect.any(String) as string,
    });
    expect(explanation.answer.text).toMatch(
      new RegExp(
        `^Never created\\. On ${TIME}, the API key "test" tried to create the user ` +
          '"ada@example.com" over SCIM and was refused \\(SEAT_CAPACITY_REACHED\\): ',
      ),
    );
    expect(textOf(explanation)).toContain(
      'Also refused (SEAT_CAPACITY_REACHED): grace@example.com.',
    );
    expectInWords(explanation);
    // A user of the same name elsewhere in the alphabet is found by any word.
    expect((await explain({ user: 'ada@ex', room: 'Dispatch' })).answer).toEqual(
      explanation.answer,
    );
    expect((await explain({ user: 'ada@example.com', role: '' })).answer).toMatchObject({
      role: null,
    });
    // And the remedy works
    expect(remedyIn(explanation, 'raise_seats').body).toEqual({ seat_capacity: 4 });
    await carryOut(explanation, 'raise_seats');
    expect(textOf(await explain(question))).toContain('Seats in use now: 2 of 4.');
    await createUser('ada@example.com');
    expect((await explain(question)).answer).toMatchObject({ not_member_because: 'never_added' });
  });

  it('is that the push of the group was refused, because it has no room', async () => {
    // Given
    const ada = await createUser('ada@example.com', { displayName: 'Ada Lovelace' });
    const other = await createUser('other@example.com');
    expect((await pushGroup('Night dispatch', ada, other)).status).toBe(404);
    // When
    const explanation = await explain({ user: 'ada', room: 'night dispatch' });
    // Then
    expect(explanation.answer).toMatchObject({ member: false, not_member_because: 'no_room' });
    expect(explanation.answer.text).toMatch(
      new RegExp(
        `^No room is named "night dispatch"\\. On ${TIME}, the API key "test" tried to create the ` +
          'group "Night dispatch" over SCIM and was refused \\(ROOM_NOT_FOUND\\): .+ ' +
          'Affected: ada@example.com and other@example.com\\.$',
      ),
    );
    expectInWords(explanation);
    expect(await explain({ room: 'Night dispatch' })).toMatchObject({
      question: 'Does the group "Night dispatch" have a room?',
      would_change: explanation.would_change,
    });
    // And the remedy works
    expect(remedyIn(explanation, 'create_room').body).toEqual({ name: 'Night dispatch' });
    expect(remedyIn(explanation, 'provision_rooms').body).toEqual({
      room_provisioning: 'automatic',
    });
    await carryOut(explanation, 'create_room');
    expect((await explain({ room: 'Night dispatch' })).answer.text).toBe(
      'The room "Night dispatch" exists now: pushing the group again maps it to the room.',
    );
    expect((await pushGroup('Night dispatch', ada)).status).toBe(201);
    expect((await explain({ user: 'ada', room: 'Night dispatch' })).answer).toMatchObject({
      member: true,
    });
  });

  it('is that the group of a similar name was refused, and the room has none', async () => {
    const ada = await createUser('ada@example.com');
    await createRoom('Dispatch');
    expect((await pushGroup('dispatch-team', ada)).status).toBe(404);
    const explanation = await explain({ user: ada, room: 'Dispatch' });
    expect(explanation.answer).toMatchObject({ not_member_because: 'never_added' });
    expect(explanation.answer.text).toContain(
      'tried to create the group "dispatch-team" over SCIM and was refused',
    );
    expectInWords(explanation);
    await carryOut(explanation, 'map_room');
    // The identity provider finds the group by its name, and adds the member.
    const { body } = await tenant.scim<{ Resources: Identified[] }>(
      'GET',
      '/Groups?filter=displayName eq "dispatch-team"',
    );
    await tenant.scim('PATCH', `/Groups/${body.Resources[0]!.id}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'add', path: 'members', value: [{ value: ada }] }],
    });
    const after = await explain({ user: ada, room: 'Dispatch' });
    expect(after.answer).toMatchObject({ member: true });
    expect(textOf(after)).not.toContain('refused');
  });

  it('is not the refusal of a group that has another name', async () => {
    const ada = await createUser('ada@example.com');
    await createRoom('Harbour');
    await pushGroup('Night watch', ada);
    const explanation = await explain({ user: ada, room: 'Harbour' });
    expect(explanation.answer.text).toMatch(
      /^Never added to the room "Harbour"\. The room has no SCIM/,
    );
    expect(textOf(explanation)).toContain('tried to create the group "Night watch"');
    // No identity provider has pushed a group that could be meant
    expect(explanation.would_change).toMatchObject([{ remedy: { action: 'add_member' } }]);
  });

  it('is that the group has no room', async () => {
    const ada = await createUser('ada@example.com');
    await createResource(operator, `${base}/role-mappings`, {
      group_display_name: 'Field team',
      role: 'medic',
    });
    expect((await pushGroup('Field team', ada)).status).toBe(201);
    await createRoom('Dispatch');
    const explanation = await explain({ user: ada, room: 'Dispatch' });
    expect(explanation.answer.text).toBe(
      'Never added to the room "Dispatch". The user is in the group "Field team", which has no room. ' +
        'The room has no SCIM group: only operators and the REST API can change its members.',
    );
    expect(remedyIn(explanation, 'rename_room').body).toEqual({ name: 'Field team' });
    expectInWords(explanation);
  });

  it('is that there is no such room, or that it was deleted or renamed', async () => {
    const ada = await createUser('ada@example.com');
    await createRoom('Dispatch');
    const missing = await explain({ user: ada, room: 'Dispach' });
    expect(missing.answer).toMatchObject({
      text: 'No room is named "Dispach". A room has a similar name.',
      not_member_because: 'no_room',
    });
    expect(textOf(missing)).toContain('The room "Dispatch" has a similar name. It has no group.');
    const id = await createRoom('Harbour');
    await operator('PATCH', `${base}/rooms/${id}`, { name: 'Port' });
    expect((await explain({ user: ada, room: 'Harbour' })).answer.text).toMatch(
      new RegExp(
        `^No room is named "Harbour"\\. It was renamed to "Port" by the admin token .+ on ${TIME}\\.$`,
      ),
    );
    await operator('DELETE', `${base}/rooms/${id}`);
    const deleted = await explain({ user: ada, room: 'Port' });
    expect(deleted.answer.text).toMatch(/It was deleted by the admin token .+ on /);
    expectInWords(deleted);
  });

  it('is that another user has the address: the holder is named', async () => {
    await createUser('ada@example.com', { displayName: 'Ada Lovelace' });
    await createRoom('Dispatch');
    const emails = [{ value: 'ada@example.com', primary: true }];
    expect((await pushUser('a.king', { displayName: 'Augusta King', emails })).status).toBe(409);
    const explanation = await explain({ user: 'augusta king', room: 'Dispatch' });
    expect(explanation.answer.text).toMatch(/"a\.king" over SCIM and was refused \(EMAIL_TAKEN\)/);
    expect(textOf(explanation)).toContain('Ada Lovelace (ada@example.com) has it, and is active.');
    expectInWords(explanation);
  });

  it('is that the room lost its group: who removed it is named', async () => {
    const ada = await createUser('ada@example.com');
    const room = await createRoom('Quay');
    const group = (await pushGroup('Quay')).body.id;
    await tenant.native('DELETE', `/rooms/${room}`);
    // The identity provider does not know, and goes on.
    const add = { op: 'add', path: 'members', value: [{ value: ada }] };
    const body = { schemas: [PATCH_URN], Operations: [add] };
    await logged(gateway, tenant.slug, await tenant.scim('PATCH', `/Groups/${group}`, body));
    const explanation = await explain({ user: ada, room: 'Quay' });
    expect(explanation.answer.text).toMatch(
      new RegExp(
        '^Never added to the room "Quay"\\. Its group "Quay" was removed by the API key "test" over ' +
          `the REST API on ${TIME}\\. The room has no SCIM group: `,
      ),
    );
    expect(textOf(explanation)).toContain(
      'tried to change the group "Quay" over SCIM and was refused (GROUP_NOT_FOUND)',
    );
    expectInWords(explanation);
    expect(remedyIn(explanation, 'map_room').body).toEqual({ display_name: 'Quay' });
  });

  it('is that the push would have removed too many: the key is allowed to', async () => {
    await operator('PATCH', base, { scim: { max_removals_per_hour: 1 }, seat_capacity: null });
    const [one, other] = [await createUser('one@example.com'), await createUser('two@example.com')];
    const ada = await createUser('ada@example.com');
    await createRoom('Dispatch');
    const group = (await pushGroup('Dispatch', one, other)).body.id;
    const replace = { op: 'replace', path: 'members', value: [{ value: ada }] };
    const body = { schemas: [PATCH_URN], Operations: [replace] };
    const push = async () =>
      logged(gateway, tenant.slug, await tenant.scim('PATCH', `/Groups/${group}`, body));
    expect((await push()).status).toBe(503);
    const asked = { user: ada, room: 'Dispatch' };
    const explanation = await explain(asked);
    expect(explanation.answer.text).toMatch(/was refused \(REMOVALS_HELD\): .+ Affected: ada@/);
    expectInWords(explanation);
    await carryOut(explanation, 'allow_removals');
    expect((await push()).status).toBe(204);
    expect((await explain(asked)).answer).toMatchObject({ member: true });
  });

  it('is that a group of this name has a role, but no room', async () => {
    const ada = await createUser('ada@example.com');
    const mapping = { group_display_name: 'Field team', role: 'medic' };
    await createResource(operator, `${base}/role-mappings`, mapping);
    await pushGroup('Field team', ada);
    const explanation = await explain({ user: ada, room: 'field team' });
    expect(explanation.answer.text).toMatch(
      /^No .+ The group "Field team" exists, but has no room/,
    );
    expect(remedyIn(explanation, 'create_room').body).toEqual({ name: 'Field team' });
    expect(textOf(explanation)).toContain('deleting the group "Field team" in the identity');
  });

  it('is that the user was created as inactive, or deleted', async () => {
    await createUser('new@example.com', { displayName: 'Nora New', active: false });
    const gone = await createUser('ned@example.com', { displayName: 'Ned Gone' });
    await createRoom('Dispatch');
    await tenant.scim('DELETE', `/Users/${gone}`);
    expect((await explain({ user: 'nora', room: 'Dispatch' })).answer.text).toMatch(
      /Created as inactive by the API key "test" over SCIM on .+: the user cannot sign in\.$/,
    );
    // Found by any word of the name that the user had
    expect(await explain({ user: 'gone', room: 'Dispatch' })).toMatchObject({
      question: 'Why is Ned Gone (ned@example.com) not in the room "Dispatch"?',
      answer: {
        text: expect.stringMatching(
          /^Ned Gone \(ned@example\.com\) was deleted by the API key "test" over SCIM/,
        ) as string,
      },
    });
  });

  it('is, of an inactive member, who deactivated the user and when', async () => {
    // Given
    const ada = await createUser('ada@example.com', { displayName: 'Ada Lovelace' });
    await createRoom('Dispatch');
    await pushGroup('Dispatch', ada);
    await tenant.scim('PATCH', `/Users/${ada}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    });
    // When
    const explanation = await explain({ user: 'lovelace', room: 'disp' });
    // Then
    expect(explanation.question).toBe(
      'Why can Ada Lovelace (ada@example.com) not use the room "Dispatch"?',
    );
    expect(explanation.answer).toMatchObject({ member: true, can_use: false });
    expect(explanation.answer.text).toMatch(
      new RegExp(
        `^Deactivated by the API key "test" over SCIM on ${TIME}: the user cannot sign in\\. ` +
          'The user is still a member of the room\\.$',
      ),
    );
    expect(explanation.would_change.map(({ remedy }) => remedy?.action)).toEqual([
      'reactivate_user',
    ]);
    expectInWords(explanation);
    await carryOut(explanation, 'reactivate_user');
    expect((await explain({ user: ada, room: 'Dispatch' })).question).toMatch(/^Why is Ada .+ in /);
  });

  it('names the candidates, and nothing of other tenants', async () => {
    await createUser('grace@example.com', { displayName: 'Grace Hopper' });
    await createUser('grace.murray@example.com', { displayName: 'Grace Murray' });
    const { status, body } = await operator('GET', `${base}/explain?user=grace&role`);
    expect([status, body]).toMatchObject([
      400,
      {
        message: '"grace" matches 2 users. Specify one of them.',
        details: [
          { path: 'user', message: 'Grace Hopper (grace@example.com)' },
          { path: 'user', message: 'Grace Murray (grace.murray@example.com)' },
        ],
      },
    ]);
    await pushUser('refused@example.com');
    const other = await gateway.tenant();
    const answer = await operator('GET', `/tenants/${other.slug}/explain?user=refused&role`);
    expect(answer).toMatchObject({ status: 404, body: { error: 'USER_NOT_FOUND' } });
  });
});

describe('the search', () => {
  it("finds refused requests by any word of a person's name", async () => {
    await createUser('first@example.com');
    await createUser('second@example.com');
    await pushUser('al@example.com', { name: { givenName: 'Ada', familyName: 'Lovelace' } });
    for (const q of ['love', 'ada lovelace', 'AL@EXAMPLE.COM']) {
      const { body } = await operator('GET', `${base}/search?q=${encodeURIComponent(q)}`);
      expect(body).toMatchObject({
        results: [
          {
            kind: 'command',
            title: 'Create the user "al@example.com"',
            subtitle: expect.stringMatching(/^Refused on .+ \(SEAT_CAPACITY_REACHED\)$/) as string,
          },
        ],
        has_more: false,
      });
    }
  });

  it('says that there is more, and returns all of it', async () => {
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await createRoom(`Watch ${number}`);
    const read = async (limit: string) => {
      const { body } = await operator<{ results: unknown[]; has_more: boolean }>(
        'GET',
        `${base}/search?q=watch${limit}`,
      );
      return [body.results.length, body.has_more];
    };
    expect(await read('')).toEqual([6, true]);
    expect(await read('&limit=500')).toEqual([8, false]);
  });
});
