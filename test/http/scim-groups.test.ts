import { describe, expect, it } from 'vitest';
import type { ScimSettings } from '../../src/domain/tenant/scim-settings.js';
import { GROUP } from '../../src/scim/schemas.js';
import { CANONICAL, openEdge, PUBLIC_URL, type TestApp, watched } from '../support/edge.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';
const BASE = PUBLIC_URL + CANONICAL;

interface GroupBody {
  readonly id: string;
  readonly members: readonly { readonly value: string }[];
}

interface Settings {
  readonly roomProvisioning?: 'automatic' | 'manual';
  readonly scim?: Partial<ScimSettings>;
}

const PAGE = { offset: 0, limit: 100 };

/** An app with a tenant that creates rooms for pushed groups. */
class GroupTests {
  private constructor(
    readonly fake: TestApp,
    readonly scim: ScimClient,
    /** The calls of the group reader, by method name. */
    readonly lookups: string[],
  ) {}

  static async open(settings: Settings = {}): Promise<GroupTests> {
    const edge = await openEdge({}, { roomProvisioning: 'automatic', ...settings });
    const { port: groups, calls } = watched(edge.store.groups);
    const app = edge.with({ scim: { ...edge.parts.scim, groups } });
    return new GroupTests(app, new ScimClient(app, CANONICAL), calls);
  }

  /** Creates this many users and returns their ids in order. */
  async users(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      ids.push((await this.scim.create({ displayName: `User ${at}` })).id);
    }
    return ids.toSorted();
  }

  /** The names of the groups. */
  async stored(): Promise<readonly string[]> {
    const { items: groups } = await this.fake.store.groupViews.page(this.fake.tenant.id, PAGE);
    return groups.map(({ group }) => group.displayName);
  }

  async group(displayName: string, members: readonly string[] = []): Promise<string> {
    const body = { displayName, members: members.map((value) => ({ value })) };
    const answer = await this.scim.post('/Groups', body).expect(201);
    return (answer.body as GroupBody).id;
  }

  /** So many that responses with them are streamed. */
  async claimManyMembers(id: string): Promise<void> {
    const { groups } = this.fake.collections;
    await groups.updateOne({ _id: id }, { $set: { memberCount: 100_000 } });
  }

  async membersOf(id: string): Promise<readonly string[]> {
    const answer = await this.scim.get(`/Groups/${id}`).expect(200);
    return (answer.body as GroupBody).members.map(({ value }) => value);
  }

  async find(filter: string): Promise<readonly string[]> {
    const answer = await this.scim.get(`/Groups?filter=${encodeURIComponent(filter)}`).expect(200);
    return (answer.body as { Resources: GroupBody[] }).Resources.map(({ id }) => id);
  }
}

describe('SCIM groups', () => {
  it('are created, and returned with Location and ETag', async () => {
    const scene = await GroupTests.open();
    const [ada = ''] = await scene.users(1);
    const body = { displayName: 'Dispatch', externalId: 'x', members: [{ value: ada }] };
    const answer = await scene.scim.post('/Groups', body).expect(201);
    const { id } = answer.body as GroupBody;
    expect(answer.body).toEqual({
      schemas: [GROUP.urn],
      id,
      displayName: 'Dispatch',
      externalId: 'x',
      meta: {
        resourceType: 'Group',
        created: expect.stringMatching(/Z$/) as string,
        lastModified: expect.stringMatching(/Z$/) as string,
        location: `${BASE}/Groups/${id}`,
        version: answer.headers['etag'],
      },
      members: [{ value: ada, $ref: `${BASE}/Users/${ada}`, type: 'User' }],
    });
    expect(answer.headers).toMatchObject({
      location: `${BASE}/Groups/${id}`,
      'content-type': SCIM_TYPE,
    });
    expect((await scene.scim.get(`/Groups/${id}`).expect(200)).body).toEqual(answer.body);
  });

  it.each([
    [{}, []],
    [{ scim: { putWithoutMembers: 'clear' } }, []],
    [{ scim: { putWithoutMembers: 'keep' } }, ['the member']],
  ] as const)('are replaced by PUT; one without members, with %j, keeps %j', async (more, left) => {
    const scene = await GroupTests.open(more);
    const [a = '', b = ''] = await scene.users(2);
    const id = await scene.group('Dispatch', [b]);
    await scene.scim.put(`/Groups/${id}`, { displayName: 'One', members: [{ value: a }] });
    expect(await scene.membersOf(id)).toEqual([a]);
    const renamed = await scene.scim.put(`/Groups/${id}`, { displayName: 'Two' }).expect(200);
    expect(renamed.body).toMatchObject({ displayName: 'Two' });
    expect(await scene.membersOf(id)).toEqual(left.map(() => a));
    for (const members of [[], null]) {
      await scene.scim.put(`/Groups/${id}`, { displayName: 'Two', members: [{ value: b }] });
      await scene.scim.put(`/Groups/${id}`, { displayName: 'Two', members }).expect(200);
      expect(await scene.membersOf(id)).toEqual([]);
    }
  });

  it('keep their members if a PUT without members is stale or a dry run', async () => {
    const scene = await GroupTests.open();
    const [a = ''] = await scene.users(1);
    const id = await scene.group('Dispatch', [a]);
    const put = () => scene.scim.put(`/Groups/${id}`, { displayName: 'Dispatch' });
    await put().set('If-Match', 'W/"9"').expect(412);
    const preview = await put().set('Prefer', 'dry-run').expect(200);
    expect(preview.body).toMatchObject({ events: [{ event: 'room.member_removed' }] });
    expect(await scene.membersOf(id)).toEqual([a]);
    const { headers } = await scene.scim.get(`/Groups/${id}`);
    await put()
      .set('If-Match', headers['etag'] ?? '')
      .expect(200);
    expect(await scene.membersOf(id)).toEqual([]);
  });

  it('are patched with 204 and a new ETag, or returned if attributes are requested', async () => {
    const scene = await GroupTests.open();
    const [a = '', b = ''] = await scene.users(2);
    const id = await scene.group('Dispatch', [a]);
    const add = { op: 'Add', path: 'members', value: [{ value: b, $ref: null }] };
    const { headers: before } = await scene.scim.get(`/Groups/${id}`);
    const quiet = await scene.scim.patch(`/Groups/${id}`, add).expect(204);
    expect(quiet.text).toBe('');
    expect(quiet.headers['etag']).not.toBe(before['etag']);
    expect(await scene.membersOf(id)).toEqual([a, b]);
    const rename = { op: 'replace', path: 'displayName', value: 'Two' };
    const part = await scene.scim.patch(`/Groups/${id}?attributes=displayName`, rename).expect(200);
    expect(part.body).toEqual({ schemas: [GROUP.urn], id, displayName: 'Two' });
    const whole = await scene.scim
      .patch(`/Groups/${id}?excludedAttributes=members`, rename)
      .expect(200);
    expect(whole.body).not.toHaveProperty('members');
    expect(await scene.membersOf(id)).toEqual([a, b]);
  });

  it('are deleted everywhere', async () => {
    const scene = await GroupTests.open();
    const id = await scene.group('Dispatch');
    await scene.scim.delete(`/Groups/${id}`).expect(204);
    for (const answer of [
      await scene.scim.get(`/Groups/${id}`),
      await scene.scim.patch(`/Groups/${id}`, { op: 'remove', path: 'members' }),
      await scene.scim.put(`/Groups/${id}`, { displayName: 'D' }),
      await scene.scim.delete(`/Groups/${id}`),
      await scene.scim.get('/Groups/no-id'),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ error: 'GROUP_NOT_FOUND' });
    }
  });

  it('support preconditions', async () => {
    const scene = await GroupTests.open();
    const id = await scene.group('Dispatch');
    const rename = { Operations: [{ op: 'replace', path: 'displayName', value: 'Two' }] };
    await scene.scim.send('patch', `/Groups/${id}`, rename).set('If-Match', 'W/"9"').expect(412);
    await scene.scim.send('delete', `/Groups/${id}`).set('If-Match', 'W/"9"').expect(412);
    await scene.scim.get(`/Groups/${id}`).set('If-Match', 'W/"9"').expect(412);
    await scene.scim.send('patch', `/Groups/${id}`, rename).set('If-Match', 'W/"1"').expect(204);
  });

  it('return 304 to a client with this version, without reading members', async () => {
    const scene = await GroupTests.open();
    const [a = '', b = ''] = await scene.users(2);
    const id = await scene.group('Dispatch', [a]);
    const { headers } = await scene.scim.get(`/Groups/${id}`);
    const tag = headers['etag'] ?? '';
    scene.lookups.length = 0;
    const held = await scene.scim.get(`/Groups/${id}`).set('If-None-Match', tag).expect(304);
    expect(held.text).toBe('');
    expect(scene.lookups).toEqual(['find']);
    await scene.scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: b }).expect(204);
    await scene.scim.get(`/Groups/${id}`).set('If-None-Match', tag).expect(200);
  });

  it('return no 304 with names of members, which the version does not cover', async () => {
    const scene = await GroupTests.open();
    const [a = ''] = await scene.users(1);
    const id = await scene.group('Dispatch', [a]);
    const path = `/Groups/${id}?attributes=members.display`;
    const tag = (await scene.scim.get(path)).headers['etag'] ?? '';
    const rename = { op: 'replace', path: 'displayName', value: 'Ada' };
    await scene.scim.patch(`/Users/${a}`, rename).expect(200);
    const again = await scene.scim.get(path).set('If-None-Match', tag).expect(200);
    expect(again.body).toMatchObject({ members: [{ display: 'Ada' }] });
  });

  it.each(['excludedAttributes=members', 'attributes=displayName'])(
    'are read without their members with %s',
    async (query) => {
      const scene = await GroupTests.open();
      const id = await scene.group('Dispatch', await scene.users(1));
      scene.lookups.length = 0;
      const one = await scene.scim.get(`/Groups/${id}?${query}`).expect(200);
      const all = await scene.scim.get(`/Groups?${query}`).expect(200);
      expect(one.text + all.text).not.toContain('members');
      expect(scene.lookups).toEqual(['find', 'page']);
    },
  );

  it('have the requested sub-attributes of members', async () => {
    const scene = await GroupTests.open();
    const [a = ''] = await scene.users(1);
    const id = await scene.group('Dispatch', [a]);
    const ids = await scene.scim.get(`/Groups/${id}?attributes=members.value`);
    expect(ids.body).toEqual({ schemas: [GROUP.urn], id, members: [{ value: a }] });
    const rest = await scene.scim.get(`/Groups/${id}?excludedAttributes=members.$ref,meta`);
    expect(rest.body).toMatchObject({ members: [{ value: a, type: 'User' }] });
    expect(rest.text).not.toContain('$ref');
  });

  it('return names of members only on request', async () => {
    const scene = await GroupTests.open();
    const [a = ''] = await scene.users(1);
    const id = await scene.group('Dispatch', [a]);
    for (const part of ['', '?excludedAttributes=meta', '?attributes=members.value'])
      expect((await scene.scim.get(`/Groups/${id}${part}`)).text).not.toContain('User 0');
    for (const names of ['members', 'members.display'])
      expect((await scene.scim.get(`/Groups/${id}?attributes=${names}`)).body).toMatchObject({
        members: [{ display: 'User 0' }],
      });
  });

  it('are found by name, external id and members, and paged', async () => {
    const scene = await GroupTests.open();
    const [a = '', b = ''] = await scene.users(2);
    const one = await scene.group('One', [a, b]);
    const two = await scene.group('Two', [b]);
    const none = await scene.group('None');
    expect(await scene.find('displayName eq "ONE"')).toEqual([one]);
    expect(await scene.find(`members eq "${a}"`)).toEqual([one]);
    expect(await scene.find(`members.value eq "${b}"`)).toEqual([one, two]);
    expect(await scene.find(`members[value eq "${b}"] and displayName sw "t"`)).toEqual([two]);
    expect(await scene.find(`id eq "${two}" and members eq "${a}"`)).toEqual([]);
    expect(await scene.find(`id eq "${two}" and members eq "${b}"`)).toEqual([two]);
    expect(await scene.find('not (members pr)')).toEqual([none]);
    const page = await scene.scim.get('/Groups?startIndex=2&count=1&sortBy=displayName');
    expect(page.body).toMatchObject({
      totalResults: 3,
      startIndex: 2,
      itemsPerPage: 1,
      Resources: [{ displayName: 'One' }],
    });
  });

  it('are streamed if they are long, alone and in lists', async () => {
    const scene = await GroupTests.open();
    const ids = await scene.users(7);
    const long = await scene.group('Long', ids);
    const short = await scene.group('Short', ids.slice(0, 2));
    // So many that the list is streamed.
    await scene.claimManyMembers(long);
    const one = await scene.scim.get(`/Groups/${long}`).expect(200);
    expect(one.headers).toMatchObject({ 'content-type': SCIM_TYPE });
    expect(one.headers['content-length']).toBeUndefined();
    expect(one.headers['etag']).toBeDefined();
    expect((one.body as GroupBody).members.map(({ value }) => value)).toEqual(ids);
    const named = await scene.scim.get(`/Groups/${long}?attributes=members.display`).expect(200);
    const display = expect.stringMatching(/^User \d$/) as string;
    expect(named.body).toMatchObject({ members: ids.map(() => ({ display })) });
    const list = await scene.scim.get('/Groups').expect(200);
    expect(list.body).toMatchObject({
      totalResults: 2,
      startIndex: 1,
      itemsPerPage: 2,
      Resources: [{ id: long }, { id: short }],
    });
    const [first, second] = (list.body as { Resources: GroupBody[] }).Resources;
    expect(first?.members).toHaveLength(7);
    expect(second?.members).toHaveLength(2);
    const head = await scene.scim.send('head', `/Groups/${long}`).expect(200);
    expect(head.headers['etag']).toBeDefined();
  });

  it('return an error if the members of a long one cannot be read', async () => {
    const scene = await GroupTests.open();
    const id = await scene.group('Long', await scene.users(1));
    await scene.claimManyMembers(id);
    const members = () => {
      throw new Error('the database is away');
    };
    const groups = { ...scene.fake.store.groups, members };
    const fake = scene.fake.with({ scim: { ...scene.fake.parts.scim, groups } });
    const answer = await new ScimClient(fake, CANONICAL).get(`/Groups/${id}`);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ error: 'INTERNAL' });
  });
});

describe('the groups of a user', () => {
  it('are in every response that requests them, by one lookup for all', async () => {
    const scene = await GroupTests.open();
    const [a = '', b = ''] = await scene.users(2);
    const id = await scene.group('Dispatch', [a]);
    const groups = [
      { value: id, $ref: `${BASE}/Groups/${id}`, display: 'Dispatch', type: 'direct' },
    ];
    const title = { op: 'replace', path: 'title', value: 'T' };
    expect((await scene.scim.get(`/Users/${a}`)).body).toMatchObject({ groups });
    expect((await scene.scim.patch(`/Users/${a}`, title)).body).toMatchObject({ groups });
    expect((await scene.scim.get(`/Users/${b}`)).body).not.toHaveProperty('groups');
    const inGroup = await scene.scim.search(`groups eq "${id}"`).expect(200);
    expect(inGroup.body).toMatchObject({ totalResults: 1, Resources: [{ id: a }] });
    scene.lookups.length = 0;
    const list = await scene.scim.get('/Users?attributes=groups');
    expect((list.body as { Resources: unknown[] }).Resources).toContainEqual(
      expect.objectContaining({ id: a, groups }),
    );
    expect(scene.lookups).toEqual(['groupsOf']);
  });

  it('are not read in a tenant without groups', async () => {
    const scene = await GroupTests.open();
    const [a = ''] = await scene.users(1);
    scene.lookups.length = 0;
    await scene.scim.get(`/Users/${a}`).expect(200);
    await scene.scim.get('/Users').expect(200);
    expect(scene.lookups).toEqual([]);
  });

  it('are not read if they are not requested', async () => {
    const scene = await GroupTests.open();
    const [a = ''] = await scene.users(1);
    await scene.group('Dispatch', [a]);
    scene.lookups.length = 0;
    await scene.scim.get(`/Users/${a}?attributes=userName`).expect(200);
    await scene.scim.get('/Users?excludedAttributes=groups').expect(200);
    await scene.scim.post('/Users', { userName: 'new@example.com' }).expect(201);
    expect(scene.lookups).toEqual([]);
  });
});
