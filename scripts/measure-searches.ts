/**
 * What one tenant's unindexed searches cost another tenant's reads. Start a gateway, then:
 *   ROLLGATE_URL=… ROLLGATE_ADMIN_TOKEN=… npx tsx scripts/measure-searches.ts [users] [searches]
 * It creates two tenants, fills one with users, and measures GET by id in the other one alone and
 * beside that many searches at once.
 */
import { randomUUID } from 'node:crypto';

const url = process.env.ROLLGATE_URL ?? 'http://127.0.0.1:8080';
const token = process.env.ROLLGATE_ADMIN_TOKEN ?? '';
const [users = 60_000, searches = 100] = process.argv.slice(2).map(Number);

const BULK = 1_000;
const READERS = 4;
const ALONE_MS = 5_000;

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

const send = async <Body = { readonly error?: string }>(
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<Answer<Body>> => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
};

const createTenant = async (): Promise<{ readonly slug: string; readonly keys: string[] }> => {
  const slug = `m-${randomUUID().slice(0, 8)}`;
  await send('POST', '/admin/v1/tenants', token, { slug, name: slug });
  const keys: string[] = [];
  for (let at = 0; at < 40; at += 1) {
    const made = await send<{ key: string }>('POST', `/admin/v1/tenants/${slug}/api-keys`, token, {
      description: 'measure',
      scopes: ['scim:read', 'scim:write'],
    });
    keys.push(made.body.key);
  }
  return { slug, keys };
};

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

const fill = async (slug: string, key: string): Promise<void> => {
  for (let from = 0; from < users; from += BULK) {
    const { status } = await send('POST', `/v1/${slug}/scim/v2/Bulk`, key, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: Array.from({ length: Math.min(BULK, users - from) }, (_, at) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `u${from + at}`,
        data: {
          schemas: [USER],
          userName: `user-${from + at}@example.com`,
          nickName: `nick ${from + at}`,
          displayName: `User ${from + at}`,
        },
      })),
    });
    if (status !== 200) throw new Error(`Bulk: ${status}`);
  }
};

const quantile = (times: readonly number[], q: number): string => {
  const sorted = times.toSorted((one, other) => one - other);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0).toFixed(1);
};

const readUntil = async (
  path: string,
  keys: readonly string[],
  isOver: () => boolean,
): Promise<readonly number[]> => {
  const times: number[] = [];
  const bad = new Map<number, number>();
  const loop = async (reader: number): Promise<void> => {
    for (let at = 0; !isOver(); at += 1) {
      const began = performance.now();
      const { status } = await send('GET', path, keys[(at + reader) % keys.length] ?? '');
      if (status === 200) times.push(performance.now() - began);
      else bad.set(status, (bad.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: READERS }, (_, reader) => loop(reader)));
  if (bad.size > 0) console.log('  other statuses', Object.fromEntries(bad));
  return times;
};

const tell = (what: string, times: readonly number[]): void =>
  console.log(
    `${what}: ${times.length} reads, p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`,
  );

const main = async (): Promise<void> => {
  const [large, small] = [await createTenant(), await createTenant()];
  await fill(large.slug, large.keys[0] ?? '');
  const { body } = await send<{ id: string }>(
    'POST',
    `/v1/${small.slug}/Users`,
    small.keys[0] ?? '',
    {
      schemas: [USER],
      userName: 'read@example.com',
    },
  );
  const path = `/v1/${small.slug}/Users/${body.id}`;
  const end = performance.now() + ALONE_MS;
  tell('alone', await readUntil(path, small.keys, () => performance.now() > end));

  const filter = encodeURIComponent('nickName co "no such name"');
  const statuses = new Map<string, number>();
  const began = performance.now();
  let left = searches;
  const search = async (at: number): Promise<void> => {
    const key = large.keys[at % large.keys.length] ?? '';
    const path = `/v1/${large.slug}/Users?filter=${filter}`;
    const { status, body: answer } = await send('GET', path, key);
    const name = `${status} ${answer.error ?? ''}`.trim();
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    left -= 1;
  };
  const searching = Promise.all(Array.from({ length: searches }, (_, at) => search(at)));
  const times = readUntil(path, small.keys, () => left === 0 && performance.now() - began > 2_000);
  await searching;
  console.log(
    `${searches} searches over ${users} users took ${Math.round(performance.now() - began)} ms:`,
    Object.fromEntries(statuses),
  );
  tell('beside the searches', await times);
};

await main();
