import fc from 'fast-check';
import request from 'supertest';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ENTERPRISE } from '../../src/scim/schemas.js';
import { CANONICAL, openEdge, PUBLIC_URL } from '../support/edge.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';
import { propertyRuns } from '../support/property-runs.js';

const keysBefore = Object.keys;
const namesBefore = Object.getOwnPropertyNames(Object.prototype);

/** What one request could change for the whole process. */
afterEach(() => {
  expect(Object.keys).toBe(keysBefore);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(namesBefore);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

describe('input that breaks the library is harmless', () => {
  let scim: ScimClient;
  beforeAll(async () => {
    scim = new ScimClient(await openEdge(), CANONICAL);
  });

  it.each([
    ['S1', 'constructor.keys eq "x"'],
    ['S1', 'hasOwnProperty.call eq "x"'],
    ['S1', 'toString.call pr'],
    ['S2', 'name.__proto__.polluted eq "x"'],
    ['S3', `userName eq "${'\n'.repeat(40)}`],
    ['S3', `userName eq "${'\\'.repeat(61)}`],
    ['S4', Array.from({ length: 101 }, () => 'id eq "0"').join(' or ')],
    ['', `${'('.repeat(500)}id pr${')'.repeat(500)}`],
    ['', 'emails[__proto__.zz eq "x"].value eq "y"'],
  ])('%s by the filter %s', async (_flaw, filter) => {
    // The library would take hours.
    const byQuery = await scim.search(filter);
    const byBody = await scim.post('/Users/.search', { filter });
    for (const { status, body } of [byQuery, byBody] as { status: number; body: unknown }[]) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ status: '400' });
    }
    await scim.get('/Users').expect(200);
  });

  it('S4: by groups in a filter', async () => {
    const groups = Array.from({ length: 40 }, () => '(title eq "1" or nickName eq "2")');
    await scim.search(groups.join(' and ')).expect(200);
  });

  it('S1: by a user id', async () => {
    await scim.get(`/Users/${encodeURIComponent('x" or constructor.keys eq "y')}`).expect(404);
    await scim.get('/Users').expect(200);
  });

  it.each(['attributes', 'excludedAttributes', 'sortBy'])('S2: by %s', async (name) => {
    await scim.get(`/Users?${name}=name.__proto__.polluted`).expect(400);
    await scim.post('/Users/.search', { [name]: ['name.__proto__.polluted'] }).expect(400);
  });

  it.each([
    `{"userName":"a","${ENTERPRISE.urn}:__proto__.polluted":"x"}`,
    '{"userName":"a","__proto__":{"polluted":"x"}}',
    '{"userName":"a","name":{"__proto__":{"polluted":"x"}}}',
    '{"userName":"a","constructor":{"prototype":{"polluted":"x"}}}',
  ])('S2: by the body %s', async (body) => {
    const { id } = await scim.create();
    for (const [verb, path] of [
      ['post', '/Users'],
      ['put', `/Users/${id}`],
    ] as const) {
      const answer = await scim.send(verb, path).set('Content-Type', SCIM_TYPE).send(body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ scimType: 'invalidSyntax' });
    }
  });

  it.each([
    [{ op: 'add', path: 'emails[__proto__.polluted eq "x"].value', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'name.__proto__.polluted', value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'emails[hasOwnProperty.call eq "x"].value', value: 'x' }, 'invalidPath'],
    [{ op: 'remove', path: 'emails', value: [{ 'a.__proto__.polluted': 'x' }] }, 'invalidSyntax'],
    [{ op: 'add', value: { 'name.__proto__.polluted': 'x' } }, 'invalidSyntax'],
  ])('S2: by the operation %j', async (operation, scimType) => {
    const { id } = await scim.create();
    const answer = await scim.patch(`/Users/${id}`, operation).expect(400);
    expect(answer.body).toMatchObject({ scimType });
  });

  it('S6: by paging', async () => {
    for (let at = 0; at < 3; at += 1) await scim.create();
    const { totalResults } = (await scim.get('/Users')).body as { totalResults: number };
    const answer = await scim.get('/Users?startIndex=2&count=1').expect(200);
    expect(answer.body).toMatchObject({ totalResults, startIndex: 2, itemsPerPage: 1 });
  });

  it('S10: by values to remove', async () => {
    const emails = [{ value: 'a@b' }, { value: 'c@d' }];
    const { id } = await scim.create({ emails });
    const value = [{ value: 'zz" or value pr or value eq "' }];
    const answer = await scim.patch(`/Users/${id}`, { op: 'Remove', path: 'emails', value });
    expect(answer.body).toMatchObject({ emails });
  });

  it('any JSON gets a SCIM response, and never an internal error', async () => {
    const { id } = await scim.create();
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record({ userName: fc.jsonValue(), emails: fc.jsonValue(), name: fc.jsonValue() }),
      fc.record({
        Operations: fc.array(
          fc.record({
            op: fc.constantFrom('add', 'replace', 'remove', 'x'),
            path: fc.constantFrom('emails', 'emails[type eq "x"]', 'name', 'active', 'x['),
            value: fc.jsonValue(),
          }),
        ),
      }),
      fc.record({ filter: fc.jsonValue(), count: fc.jsonValue(), attributes: fc.jsonValue() }),
    );
    const target = fc.constantFrom<[verb: 'post' | 'put' | 'patch', path: string]>(
      ['post', '/Users'],
      ['put', `/Users/${id}`],
      ['patch', `/Users/${id}`],
      ['post', '/.search'],
    );
    await fc.assert(
      fc.asyncProperty(target, json, async ([verb, path], body) => {
        const answer = await scim
          .send(verb, path)
          .set('Content-Type', SCIM_TYPE)
          .send(JSON.stringify(body));
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers['content-type']).toBe(SCIM_TYPE);
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

describe('two tenants at once', () => {
  it('S5: get their own URLs, even if their requests overlap', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const edge = await openEdge();
    const { users } = edge.store;
    const find: typeof users.find = async (tenantId, id) => {
      if (tenantId === edge.tenant.id) await gate;
      return users.find(tenantId, id);
    };
    const fake = edge.with({ scim: { ...edge.parts.scim, users: { ...users, find } } });
    const globex = await fake.addTenant();
    const read = async (slug: string, key: string, id: string) => {
      const answer = await request(fake.app)
        .get(`/v1/${slug}/scim/v2/Users/${id}`)
        .set('Authorization', `Bearer ${key}`);
      return (answer.body as { meta: { location: string } }).meta.location;
    };
    const create = async (slug: string, key: string) => {
      const answer = await request(fake.app)
        .post(`/v1/${slug}/scim/v2/Users`)
        .set('Authorization', `Bearer ${key}`)
        .send({ userName: 'ada' })
        .expect(201);
      return answer.body as { readonly id: string };
    };
    const { key: keyOfGlobex } = await fake.addKey(globex);
    const ours = await create('acme', fake.key);
    const theirs = await create('globex', keyOfGlobex);

    const slow = read('acme', fake.key, ours.id);
    expect(await read('globex', keyOfGlobex, theirs.id)).toContain('/v1/globex/scim/v2/Users/');
    release();
    expect(await slow).toBe(`${PUBLIC_URL}/v1/acme/scim/v2/Users/${ours.id}`);
  });

  it('do not see each other', async () => {
    const scim = new ScimClient(await openEdge(), '/v1/acme/scim/v2');
    const { id } = await scim.create();
    const { key } = await scim.fake.addKey(await scim.fake.addTenant());
    const globex = new ScimClient(scim.fake, '/v1/globex/scim/v2', key);
    const foreign = await globex.get(`/Users/${id}`).expect(404);
    const unknown = await globex.get('/Users/00000000-0000-4000-8000-00000000dead').expect(404);
    const withoutId = ({ request_id: _, ...body }: { request_id?: string }) => body;
    expect(withoutId(foreign.body as object)).toEqual(withoutId(unknown.body as object));
    await globex.delete(`/Users/${id}`).expect(404);
    expect((await globex.get('/Users').expect(200)).body).toMatchObject({ totalResults: 0 });
  });
});
