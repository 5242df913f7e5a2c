import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Client, type Identified, TestGateway, type TestTenant } from '../support/gateway.js';
import { logged } from '../support/logged.js';
import { propertyRuns } from '../support/property-runs.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

interface Remedy {
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, string>>;
}

interface Explanation {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly would_change: readonly { readonly text: string; readonly remedy?: Remedy }[];
}

interface Found {
  readonly Resources?: readonly Identified[];
}

const gateway = TestGateway.use();

/** A tenant as its identity provider, its operators and its program change it, by names. */
class Organisation {
  private constructor(
    private readonly operator: Client,
    private readonly tenant: TestTenant,
  ) {}

  static async create(seats: number): Promise<Organisation> {
    return new Organisation(
      await gateway.operator(),
      await gateway.tenant({ seat_capacity: seats }),
    );
  }

  private path(rest: string): string {
    return `/tenants/${this.tenant.slug}${rest}`;
  }

  private async scim(method: string, path: string, body?: object): Promise<void> {
    const response = await this.tenant.scim(method, path, body);
    // The log has every refused creation, but not what its resource is missing for.
    if (method === 'POST') await logged(gateway, this.tenant.slug, response);
  }

  private async idOf(kind: 'Users' | 'Groups', name: string): Promise<string> {
    const field = kind === 'Users' ? 'userName' : 'displayName';
    const filter = encodeURIComponent(`${field} eq "${name}"`);
    const { body } = await this.tenant.scim<Found>('GET', `/${kind}?filter=${filter}`);
    return body.Resources?.[0]?.id ?? 'none';
  }

  private async roomId(name: string): Promise<string> {
    const { body } = await this.operator<{ readonly rooms: readonly Identified[] }>(
      'GET',
      this.path(`/rooms?name=${encodeURIComponent(name)}`),
    );
    return body.rooms[0]?.id ?? 'none';
  }

  createUser(userName: string): Promise<void> {
    return this.scim('POST', '/Users', { schemas: [USER_URN], userName });
  }

  async setActive(user: string, active: boolean): Promise<void> {
    const Operations = [{ op: 'replace', path: 'active', value: active }];
    await this.scim('PATCH', `/Users/${await this.idOf('Users', user)}`, {
      schemas: [PATCH_URN],
      Operations,
    });
  }

  /** The group gets the user as a member, and is created if needed. */
  async push(displayName: string, user: string): Promise<void> {
    const [group, value] = [await this.idOf('Groups', displayName), await this.idOf('Users', user)];
    const members = value === 'none' ? [] : [{ value }];
    if (group === 'none')
      await this.scim('POST', '/Groups', { schemas: [GROUP_URN], displayName, members });
    else
      await this.scim('PATCH', `/Groups/${group}`, {
        schemas: [PATCH_URN],
        Operations: [{ op: 'add', path: 'members', value: members }],
      });
  }

  async deleteGroup(name: string): Promise<void> {
    await this.tenant.scim('DELETE', `/Groups/${await this.idOf('Groups', name)}`);
  }

  async createRoom(name: string): Promise<void> {
    await this.operator('POST', this.path('/rooms'), { name });
  }

  async mapRoom(room: string, display_name: string): Promise<void> {
    await this.tenant.native('PATCH', `/rooms/${await this.roomId(room)}`, { display_name });
  }

  async unmapRoom(room: string): Promise<void> {
    await this.tenant.native('DELETE', `/rooms/${await this.roomId(room)}`);
  }

  async addMember(room: string, user: string): Promise<void> {
    const user_id = await this.idOf('Users', user);
    await this.tenant.native('POST', `/rooms/${await this.roomId(room)}/members`, { user_id });
  }

  async removeMember(room: string, user: string): Promise<void> {
    const [roomId, userId] = [await this.roomId(room), await this.idOf('Users', user)];
    await this.tenant.native('DELETE', `/rooms/${roomId}/members/${userId}`);
  }

  async createMapping(
    group_display_name: string,
    priority: number,
    apply_on_scim_provisioning: boolean,
  ): Promise<void> {
    const mapping = { group_display_name, role: `role-${priority}`, priority };
    await this.operator('POST', this.path('/role-mappings'), {
      ...mapping,
      apply_on_scim_provisioning,
    });
  }

  /** Undefined: nothing is known of such a user. */
  async explain(user: string, room: string | undefined): Promise<Explanation | undefined> {
    const query = new URLSearchParams({ user, ...(room === undefined ? { role: '' } : { room }) });
    const { status, body } = await this.operator<Explanation>(
      'GET',
      this.path(`/explain?${query.toString()}`),
    );
    expect([200, 404]).toContain(status);
    return status === 200 ? body : undefined;
  }

  /** Makes the call of a remedy, and then what its sentence says the identity provider does. */
  async apply(
    { action, method, path, body }: Remedy,
    user: string,
    room: string | undefined,
  ): Promise<void> {
    const response = await this.operator(method, path.replace('/admin/v1', ''), body);
    expect([action, response.status, response.body]).toMatchObject([
      action,
      expect.toSatisfy((status: number) => status < 300),
      response.body,
    ]);
    if (action === 'provision_rooms') await this.push(room ?? '', user);
    if (action === 'map_room') await this.push(body?.['display_name'] ?? '', user);
    if (action === 'rename_room') {
      await this.deleteGroup(body?.['name'] ?? '');
      await this.push(body?.['name'] ?? '', user);
    }
    if (action === 'raise_seats') {
      await this.createUser(user);
      await this.setActive(user, true);
    }
  }
}

const user = fc.constantFrom('ada@example.com', 'alan@example.com', 'grace@example.com');
const name = fc.constantFrom('Dispatch', 'Dispatch North', 'Medics');
const priority = fc.integer({ min: 0, max: 3 });

type Step = (organisation: Organisation) => Promise<void>;
const nameAndUser = fc.record({ name, user });

const step: fc.Arbitrary<Step> = fc.oneof(
  user.map((one) => (org: Organisation) => org.createUser(one)),
  fc
    .record({ user, isActive: fc.boolean() })
    .map((one) => (org: Organisation) => org.setActive(one.user, one.isActive)),
  nameAndUser.map((one) => (org: Organisation) => org.push(one.name, one.user)),
  name.map((one) => (org: Organisation) => org.deleteGroup(one)),
  name.map((one) => (org: Organisation) => org.createRoom(one)),
  fc
    .record({ room: name, group: name })
    .map((one) => (org: Organisation) => org.mapRoom(one.room, one.group)),
  name.map((one) => (org: Organisation) => org.unmapRoom(one)),
  nameAndUser.map((one) => (org: Organisation) => org.addMember(one.name, one.user)),
  nameAndUser.map((one) => (org: Organisation) => org.removeMember(one.name, one.user)),
  fc
    .record({ name, priority, applies: fc.boolean() })
    .map((one) => (org: Organisation) => org.createMapping(one.name, one.priority, one.applies)),
);

/** What the answer says, apart from the entry of the log that is its cause. */
const saidBy = ({ answer }: Explanation): object => {
  const { command_id: _id, request_id: _request, link: _link, ...said } = answer;
  return said;
};

it('a remedy that is offered changes the answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        seats: fc.integer({ min: 1, max: 3 }),
        steps: fc.array(step, { minLength: 3, maxLength: 15 }),
        user,
        room: fc.option(name, { nil: undefined, freq: 4 }),
        choice: fc.nat(5),
      }),
      async ({ seats, steps, user, room, choice }) => {
        // Given any state
        const organisation = await Organisation.create(seats);
        await organisation.createUser(user);
        for (const take of steps) await take(organisation);
        // When a question about it is answered, and one of the remedies is applied
        const before = await organisation.explain(user, room);
        const remedies = before?.would_change.flatMap(({ remedy }) => remedy ?? []) ?? [];
        const remedy = remedies[choice % remedies.length];
        if (!before || !remedy) return;
        await organisation.apply(remedy, user, room);
        // Then there is another answer
        const after = await organisation.explain(user, room);
        const said = JSON.stringify(saidBy(before));
        expect(after && JSON.stringify(saidBy(after)), `${remedy.action} of ${said}`).not.toBe(
          said,
        );
      },
    ),
    { numRuns: propertyRuns(40) },
  );
  // About half a second for each state, on idle cores.
}, 300_000);
