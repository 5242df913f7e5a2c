import { after, before, test } from 'node:test';
import { createServer } from 'node:http';
import * as api from 'rollgate/plugin';
import { runConnectorContract } from 'rollgate/plugin/testing';
import create from './__NAME__.mjs';

/*
 * A source for the tests, built from the description of the API. Make it as unpleasant as the real one:
 * its page sizes, its status codes, its limits.
 */
const TOKEN = 'test-token-1234';
const people = new Map();
let version = 0;
let signIns = 0;
/** What happens to the next requests. */
let behaviour = { kind: 'normal' };

const put = (person) => people.set(person.id, { ...person, version: String((version += 1)) });

const respond = (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://localhost');
  const send = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  signIns += 1;
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return send(401, '{}');
  if (pathname !== '/people') return send(404, '{}');
  if (behaviour.kind === 'hang') return undefined;
  if (behaviour.kind === 'limit') {
    const { retryAfter } = behaviour;
    behaviour = { kind: 'normal' };
    return send(429, '{}', { 'retry-after': retryAfter });
  }
  if (behaviour.kind === 'fail later' && query.has('after')) return send(500, '{}');
  const limit = Number(query.get('limit'));
  const since = query.get('since');
  const wanted = query.getAll('id');
  const found = [...people.values()]
    .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
    .filter((person) => (since === null ? !person.deleted : Number(person.version) > Number(since)))
    .filter(({ id }) => id > (query.get('after') ?? ''))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const page = found.slice(0, limit).map(({ version: _version, ...person }) => person);
  const next = found.length > limit ? page.at(-1).id : null;
  const body = JSON.stringify({ people: page, next, version: String(version) });
  if (behaviour.kind === 'other form') return send(200, '{"employees": []}');
  return send(200, behaviour.kind === 'cut' ? body.slice(0, -20) : body);
};

const server = createServer((request, response) => void respond(request, response));
const url = () => `http://127.0.0.1:${server.address().port}`;

before(async () => {
  for (const [index, name] of ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan'].entries())
    put({ id: `p${index}`, firstName: name, lastName: 'Test', email: `${name}@example.com` });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const breaks = (kind) => () => {
  behaviour = { kind };
  return () => {
    behaviour = { kind: 'normal' };
  };
};

for (const { title, run } of runConnectorContract(create(api), {
  settings: () => ({ url: url(), token: TOKEN }),
  badSettings: () => ({ url: url(), token: 'wrong-token-1234' }),
  signIns: () => signIns,
  limitOnce: (retryAfter) => {
    behaviour = { kind: 'limit', retryAfter };
  },
  breakages: {
    'a page is cut': breaks('cut'),
    'the second page fails': breaks('fail later'),
    'pages have another form': breaks('other form'),
  },
  hang: breaks('hang'),
  change: () => {
    const [p0, p1] = [people.get('p0'), people.get('p1')];
    put({ ...p0, lastName: 'Changed' });
    put({ id: 'p1', deleted: true });
    return {
      changed: ['p0'],
      deleted: ['p1'],
      undo: () => {
        put(p0);
        put(p1);
      },
    };
  },
}))
  test(title, run);
