import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../tools/bench/load/connection.js';
import { attempt, distribute, sendChecked } from '../../tools/bench/load/send-checked.js';

const requested: string[] = [];
const server = createServer((request, response) => {
  requested.push(request.url ?? '');
  response.statusCode = request.url === '/3' ? 500 : 200;
  response.end(request.url);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => void requested.splice(0));
afterAll(() => void server.close());

const clientsAt = (clients: number) => {
  const { port } = server.address() as AddressInfo;
  return { target: { origin: `http://127.0.0.1:${port}`, base: '/', headers: {} }, clients };
};

const fetchText = async (connection: Connection, path: string): Promise<string> => {
  const check = ({ status }: { readonly status: number }) =>
    status === 200 ? undefined : `the status is ${status}`;
  return (await sendChecked(connection, { method: 'GET', path, check })).text;
};

describe('distribute', () => {
  it('runs each item once, with the results in the order of the items', async () => {
    const paths = ['4', '5', '6', '7', '8', '9'];
    expect(await distribute(clientsAt(4), paths, fetchText)).toEqual(
      paths.map((path) => `/${path}`),
    );
    expect([...requested].sort()).toEqual(paths.map((path) => `/${path}`));
  });

  it('stops all clients at the first wrong response', async () => {
    const paths = ['1', '2', '3', '4', '5'];
    const { wrong } = await attempt(distribute(clientsAt(1), paths, fetchText));
    expect(wrong).toMatchObject({ request: 'GET 3', why: 'the status is 500', status: 500 });
    expect(requested).toEqual(['/1', '/2', '/3']);
  });

  it('counts a missing response as a wrong one', async () => {
    const nowhere = {
      target: { origin: 'http://127.0.0.1:1', base: '/', headers: {} },
      clients: 1,
    };
    const { wrong } = await attempt(distribute(nowhere, ['1'], fetchText));
    expect(wrong?.why).toMatch(/ECONNREFUSED/);
  });

  it('rethrows other errors', async () => {
    const rejected = attempt(Promise.reject(new TypeError('a bug')));
    await expect(rejected).rejects.toThrow('a bug');
  });
});
