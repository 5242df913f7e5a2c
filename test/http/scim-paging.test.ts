import { beforeAll, describe, expect, it } from 'vitest';
import { CANONICAL, openEdge, type TestApp, watched } from '../support/edge.js';
import { ScimClient } from '../scim/scim-client.js';

interface Page {
  readonly totalResults: number;
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  readonly nextCursor?: string;
  readonly previousCursor?: string;
  readonly Resources: readonly { readonly id: string; readonly meta: { resourceType: string } }[];
}

const open = async (): Promise<ScimClient> =>
  new ScimClient(await openEdge({}, { roomProvisioning: 'automatic' }), CANONICAL);

const userNames = ['e', 'b', 'd', 'a', 'c'].map((name) => `${name}@example.com`);

let scim: ScimClient;

/** Five users and three groups. */
const fill = async () => {
  scim = await open();
  for (const userName of userNames) await scim.create({ userName });
  for (const displayName of ['Zulu', 'Alpha', 'Mike']) {
    await scim.post('/Groups', { displayName }).expect(201);
  }
};

const idsOn = ({ Resources }: Page): readonly string[] => Resources.map(({ id }) => id);

const readPage = async (scim: ScimClient, path: string, cursor: string): Promise<Page> =>
  (await scim.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`).expect(200))
    .body as Page;

/** All pages, by the cursors in the responses. */
const readAllPages = async (scim: ScimClient, path: string): Promise<readonly Page[]> => {
  const pages = [await readPage(scim, path, '')];
  for (let next = pages[0]?.nextCursor; next !== undefined; next = pages.at(-1)?.nextCursor) {
    pages.push(await readPage(scim, path, next));
  }
  return pages;
};

describe('cursor pagination', () => {
  beforeAll(fill);

  it.each(['/Users', '/Groups'])('pages through %s, and back', async (path) => {
    const whole = (await scim.get(path).expect(200)).body as Page;
    const pages = await readAllPages(scim, `${path}?count=2`);
    expect(pages.flatMap(idsOn)).toEqual(idsOn(whole));
    for (const page of pages) {
      expect(page).not.toHaveProperty('startIndex');
      expect(page.totalResults).toBe(whole.totalResults);
    }
    expect(pages[0]).not.toHaveProperty('previousCursor');
    expect(pages.at(-1)).not.toHaveProperty('nextCursor');
    const back = await readPage(scim, `${path}?count=2`, pages.at(-1)?.previousCursor ?? '');
    expect(idsOn(back)).toEqual(idsOn(pages.at(-2) as Page));
  });

  it('keeps filter and order', async () => {
    const path = '/Users?count=2&sortBy=userName&sortOrder=descending&attributes=userName';
    const pages = await readAllPages(scim, path);
    const names = pages.flatMap(({ Resources }) =>
      Resources.map((user) => (user as unknown as { userName: string }).userName),
    );
    expect(names).toEqual(userNames.toSorted().toReversed());
    const other = await scim.get(`/Users?count=2&cursor=${pages[0]?.nextCursor ?? ''}`).expect(400);
    expect(other.body).toMatchObject({ error: 'INVALID_REQUEST', scimType: 'invalidCursor' });
  });

  it('returns only the total for count=0', async () => {
    const page = await readPage(scim, '/Users?count=0', '');
    expect(page).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] });
    expect(page).not.toHaveProperty('nextCursor');
  });

  it.each(['/Users/.search', '/Groups/.search', '/.search'])(
    'works by POST to %s',
    async (path) => {
      const whole = (await scim.post(path, {}).expect(200)).body as Page;
      const first = (await scim.post(path, { cursor: '', count: 2 }).expect(200)).body as Page;
      const rest = (await scim.post(path, { cursor: first.nextCursor, count: 9 }).expect(200))
        .body as Page;
      expect([...idsOn(first), ...idsOn(rest)]).toEqual(idsOn(whole));
      expect(rest).not.toHaveProperty('nextCursor');
    },
  );
});

describe('a search over all resource types', () => {
  beforeAll(fill);

  const search = async (scim: ScimClient, body: object): Promise<Page> =>
    (await scim.post('/.search', body).expect(200)).body as Page;

  const typesOn = ({ Resources }: Page) => Resources.map(({ meta }) => meta.resourceType);

  it('returns users, then groups, and counts both', async () => {
    const page = await search(scim, {});
    expect(page).toMatchObject({ totalResults: 8, startIndex: 1, itemsPerPage: 8 });
    expect(typesOn(page)).toEqual([...Array<string>(5).fill('User'), 'Group', 'Group', 'Group']);
  });

  it('pages across both', async () => {
    const whole = idsOn(await search(scim, {}));
    for (let startIndex = 1; startIndex <= 9; startIndex += 1) {
      const page = await search(scim, { startIndex, count: 3 });
      expect(idsOn(page)).toEqual(whole.slice(startIndex - 1, startIndex + 2));
      expect(page).toMatchObject({ totalResults: 8, startIndex });
    }
    expect(await search(scim, { count: 0 })).toMatchObject({ totalResults: 8, Resources: [] });
  });

  it.each([1, 2, 3, 5, 8, 9])('pages across both with %d per page', async (count) => {
    const pages = [await search(scim, { cursor: '', count })];
    for (let next = pages[0]?.nextCursor; next; next = pages.at(-1)?.nextCursor) {
      pages.push(await search(scim, { cursor: next, count }));
    }
    expect(pages.flatMap(idsOn)).toEqual(idsOn(await search(scim, {})));
    expect(pages).toHaveLength(Math.ceil(8 / count));
  });

  it('treats an attribute that a type does not have as one without a value', async () => {
    const either = await search(scim, {
      filter: 'userName sw "a" or (displayName eq "alpha" and not (userName pr))',
    });
    expect(typesOn(either)).toEqual(['User', 'Group']);
    const unequal = await search(scim, { filter: 'userName ne "a@example.com"' });
    expect(unequal.totalResults).toBe(7);
    const ofType = await search(scim, { filter: 'meta.resourceType eq "Group"' });
    expect(ofType.totalResults).toBe(3);
    const members = await search(scim, { filter: 'members pr or emails[type eq "work"]' });
    expect(members.totalResults).toBe(0);
  });

  it('refuses an attribute that neither has', async () => {
    const filter = await scim.post('/.search', { filter: 'nothing pr' }).expect(400);
    expect(filter.body).toMatchObject({ scimType: 'invalidFilter' });
    await scim.post('/.search', { sortBy: 'nothing' }).expect(400);
  });

  it('sorts resources without the attribute last, or first in descending order', async () => {
    const upward = await search(scim, { sortBy: 'userName', count: 1 });
    expect(upward.Resources[0]).toMatchObject({ userName: 'a@example.com' });
    const downward = await search(scim, { sortBy: 'userName', sortOrder: 'descending' });
    expect(typesOn(downward)).toEqual([
      'Group',
      'Group',
      'Group',
      ...Array<string>(5).fill('User'),
    ]);
    expect(downward.Resources[3]).toMatchObject({ userName: 'e@example.com' });
  });

  it('returns the requested attributes of each', async () => {
    const page = await search(scim, {
      attributes: ['displayName'],
      filter: 'displayName eq "Zulu"',
    });
    expect(page.Resources).toEqual([
      { schemas: [expect.stringContaining('Group')], id: idsOn(page)[0], displayName: 'Zulu' },
    ]);
  });
});

describe('a page of a thousand resources', () => {
  let fake: TestApp;

  beforeAll(async () => {
    scim = await open();
    ({ fake } = scim);
    const Operations = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ method: 'POST', path: '/Users', bulkId: `${at}`, data: { userName: `user-${at}` } },
    }));
    await scim.post('/Bulk', { Operations }).expect(200);
    await scim.create();
    await scim.post('/Groups', { displayName: 'Last' }).expect(201);
  });

  it.each(['/Users?count=1000', '/Users?count=5000'])(
    'is the largest, and complete: %s',
    async (path) => {
      const page = (await new ScimClient(fake, CANONICAL).get(path).expect(200)).body as Page;
      expect(page).toMatchObject({ totalResults: 1_001, itemsPerPage: 1_000, startIndex: 1 });
      expect(new Set(idsOn(page)).size).toBe(1_000);
    },
  );

  it('reads the groups of 100 users at a time, so that memory stays flat', async () => {
    const { calls, port: groups } = watched(fake.store.groups);
    const app = fake.with({ scim: { ...fake.parts.scim, groups } });
    await new ScimClient(app, CANONICAL).get('/Users?count=1000').expect(200);
    expect(calls).toEqual(Array<string>(10).fill('groupsOf'));
  });
});
