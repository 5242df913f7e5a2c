import { describe, expect, it } from 'vitest';
import { ENTERPRISE, USER } from '../../src/scim/schemas.js';
import { CANONICAL, openEdge, PUBLIC_URL } from '../support/edge.js';
import { SCIM_TYPE, ScimClient, type ScimUser } from '../scim/scim-client.js';

const UNKNOWN = '00000000-0000-4000-8000-00000000dead';

const ADA = {
  schemas: [USER.urn, ENTERPRISE.urn],
  userName: 'ada@example.com',
  externalId: 'X-1',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  displayName: 'Ada Lovelace',
  locale: 'en-GB',
  [ENTERPRISE.urn]: { department: 'Engines', manager: { value: 'm' } },
};

describe('SCIM users', () => {
  const open = async () => new ScimClient(await openEdge(), CANONICAL);

  it('are created, and returned with Location and ETag', async () => {
    const scim = await open();
    const answer = await scim
      .post('/Users', { ...ADA, password: 'secret', groups: [] })
      .expect(201);
    const user = answer.body as ScimUser;
    const location = `${PUBLIC_URL}${CANONICAL}/Users/${user.id}`;
    expect(user).toEqual({
      ...ADA,
      id: user.id,
      active: true,
      roles: [{ value: 'member' }],
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/Z$/) as string,
        lastModified: expect.stringMatching(/Z$/) as string,
        location,
        version: 'W/"1"',
      },
    });
    expect(answer.headers).toMatchObject({ location, etag: 'W/"1"', 'content-type': SCIM_TYPE });
    expect(scim.fake.submissions).toMatchObject([
      { source: 'scim', command: { type: 'user.create', userId: user.id } },
    ]);
    const stored = await scim.fake.collections.users.find({}).toArray();
    expect(JSON.stringify([stored, scim.fake.submissions])).not.toContain('secret');
  });

  it('are read by id', async () => {
    const scim = await open();
    const user = await scim.create(ADA);
    const answer = await scim.get(`/Users/${user.id}`).expect(200);
    expect(answer.body).toEqual(user);
    expect(answer.headers).toMatchObject({ etag: 'W/"1"', 'content-type': SCIM_TYPE });
    await scim.get(`/Users/${user.id}/`).expect(200);
    const head = await scim.send('head', `/Users/${user.id}`).expect(200);
    expect(head.headers['etag']).toBe('W/"1"');
    expect(head.text).toBeUndefined();
  });

  it.each(['get', 'put', 'patch', 'delete'] as const)(
    '%s of an unknown user is 404',
    async (verb) => {
      const scim = await open();
      const body =
        verb === 'put' ? { userName: 'a' } : verb === 'patch' ? { Operations: [] } : undefined;
      for (const id of [
        UNKNOWN,
        '00919288221112222',
        'x" or constructor.keys eq "y',
        'bulkId:1',
        '__proto__',
      ]) {
        const answer = await scim.send(verb, `/Users/${encodeURIComponent(id)}`, body).expect(404);
        expect(answer.body).toMatchObject({ status: '404', error: 'USER_NOT_FOUND' });
      }
    },
  );

  it('are replaced completely: omitted attributes are removed', async () => {
    const scim = await open();
    const { id } = await scim.create(ADA);
    const answer = await scim
      .put(`/Users/${id}`, { id, userName: 'lovelace', active: 'False' })
      .expect(200);
    expect(answer.headers['etag']).toBe('W/"2"');
    expect(answer.body).toMatchObject({
      id,
      userName: 'lovelace',
      active: false,
      schemas: [USER.urn],
    });
    expect(answer.body).not.toHaveProperty('name');
    expect(answer.body).not.toHaveProperty('externalId');
    expect((await scim.get(`/Users/${id}`)).body).toEqual(answer.body);
  });

  it.each([{}, { active: null }, { active: '' }])(
    'stay deactivated by a PUT without active: %j',
    async (active) => {
      const scim = await open();
      const { id } = await scim.create({ ...ADA, active: false });
      const silent = await scim.put(`/Users/${id}`, { userName: 'lovelace', ...active });
      expect(silent.body).toMatchObject({ userName: 'lovelace', active: false });
      const said = await scim.put(`/Users/${id}`, { userName: 'lovelace', active: true });
      expect(said.body).toMatchObject({ active: true });
    },
  );

  it('are patched and returned', async () => {
    const scim = await open();
    const { id } = await scim.create(ADA);
    const answer = await scim
      .patch(
        `/Users/${id}`,
        { op: 'Replace', path: 'active', value: 'False' },
        { op: 'add', path: 'title', value: 'T' },
      )
      .expect(200);
    expect(answer.body).toMatchObject({
      id,
      active: false,
      title: 'T',
      displayName: 'Ada Lovelace',
    });
    expect(answer.headers['etag']).toBe('W/"2"');
  });

  it('lose nothing by a PATCH that excludes attributes from the response', async () => {
    const scim = await open();
    const { id } = await scim.create(ADA);
    const operation = { op: 'replace', path: 'title', value: 'T' };
    const only = await scim.patch(`/Users/${id}?attributes=title`, operation).expect(200);
    expect(only.body).toEqual({ schemas: ADA.schemas, id, title: 'T' });
    const without = await scim
      .patch(`/Users/${id}?excludedAttributes=emails`, operation)
      .expect(200);
    expect(without.body).not.toHaveProperty('emails');
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({
      emails: ADA.emails,
      name: ADA.name,
    });
  });

  it('are deleted permanently', async () => {
    const scim = await open();
    const { id } = await scim.create(ADA);
    const answer = await scim.delete(`/Users/${id}`).expect(204);
    expect(answer.text).toBe('');
    await scim.get(`/Users/${id}`).expect(404);
    await scim.delete(`/Users/${id}`).expect(404);
  });

  it.each(['post', 'put'] as const)('%s returns the requested attributes', async (verb) => {
    const scim = await open();
    const { id } = await scim.create();
    const path = verb === 'post' ? '/Users' : `/Users/${id}`;
    const answer = await scim.send(verb, `${path}?attributes=userName`, { ...ADA, userName: 'b' });
    expect(Object.keys(answer.body as object).sort()).toEqual(['id', 'schemas', 'userName']);
  });

  it('do not change if the requested attributes are invalid', async () => {
    const scim = await open();
    await scim.post('/Users?attributes=name.__proto__.x', ADA).expect(400);
    expect(scim.fake.submissions).toEqual([]);
  });
});

describe('a list of SCIM users', () => {
  const open = async (count: number) => {
    const scim = new ScimClient(await openEdge(), CANONICAL);
    const names = Array.from({ length: count }, (_, at) => `user${String(at).padStart(3, '0')}`);
    for (const userName of names) {
      await scim.create({ userName, emails: [{ value: `${userName}@example.com`, type: 'work' }] });
    }
    return scim;
  };

  const namesIn = (answer: { body: unknown }) =>
    (answer.body as { Resources: ScimUser[] }).Resources.map(({ userName }) => userName);

  it('is empty, with an empty Resources array', async () => {
    const scim = await open(0);
    const answer = await scim.get('/Users').expect(200);
    expect(answer.body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    expect(answer.headers['content-type']).toBe(SCIM_TYPE);
    expect(answer.headers).not.toHaveProperty('etag');
  });

  it('is paged', async () => {
    const scim = await open(7);
    const page = (query: string) => scim.get(`/Users?${query}`).expect(200);
    expect(namesIn(await page('startIndex=3&count=2'))).toEqual(['user002', 'user003']);
    expect((await page('startIndex=3&count=2')).body).toMatchObject({
      totalResults: 7,
      startIndex: 3,
      itemsPerPage: 2,
    });
    expect((await page('startIndex=6&count=5')).body).toMatchObject({
      totalResults: 7,
      startIndex: 6,
      itemsPerPage: 2,
    });
    expect((await page('startIndex=9&count=5')).body).toMatchObject({
      totalResults: 7,
      startIndex: 9,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await page('count=0')).body).toMatchObject({
      totalResults: 7,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await page('count=-1')).body).toMatchObject({ totalResults: 7, itemsPerPage: 0 });
    expect((await page('startindex=0&COUNT=1')).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 1,
    });
    expect((await page('count=9999')).body).toMatchObject({ itemsPerPage: 7 });
  });

  it('is filtered', async () => {
    const scim = await open(3);
    expect(namesIn(await scim.search('userName eq "USER001"'))).toEqual(['user001']);
    expect(
      namesIn(await scim.search('emails[type eq "work"].value eq "user002@example.com"')),
    ).toEqual(['user002']);
    expect(namesIn(await scim.search('not (userName sw "user00")'))).toEqual([]);
    expect(namesIn(await scim.get('/Users/?filter=userName+ew+%221%22'))).toEqual(['user001']);
    expect(
      namesIn(await scim.get('/Users?aadOptscim062020&filter=userName+eq+%22user000%22')),
    ).toEqual(['user000']);
    expect((await scim.search('userName eq "nobody"').expect(200)).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
  });

  it('is sorted', async () => {
    const scim = await open(3);
    const sorted = await scim
      .get('/Users?sortBy=USERNAME&sortOrder=descending&count=2')
      .expect(200);
    expect(namesIn(sorted)).toEqual(['user002', 'user001']);
  });

  it('finds users without roles by the default role', async () => {
    const scim = await open(2);
    const found = async (filter: string) => namesIn(await scim.search(filter).expect(200));
    expect(await found('roles.value eq "member"')).toEqual(['user000', 'user001']);
    expect(await found('roles[value eq "member"]')).toEqual(['user000', 'user001']);
    expect(await found('not (roles.value eq "member")')).toEqual([]);
    expect(await found('roles.value eq "boss"')).toEqual([]);
    expect(await found('roles[value eq "boss" and primary eq true]')).toEqual([]);
  });
});
