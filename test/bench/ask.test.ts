import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, shareOut, tried } from '../../bench/load/ask.js';
import type { Connection } from '../../bench/load/connection.js';

const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.statusCode = request.url === '/3' ? 500 : 200;
  response.end(request.url);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => void asked.splice(0));
afterAll(() => void server.close());

const crewOf = (clients: number) => {
  const { port } = server.address() as AddressInfo;
  return { target: { origin: `http://127.0.0.1:${port}`, base: '/', headers: {} }, clients };
};

const fetchText = async (connection: Connection, path: string): Promise<string> => {
  const fault = ({ status }: { readonly status: number }) =>
    status === 200 ? undefined : `the status is ${status}`;
  return (await ask(connection, { method: 'GET', path, fault })).text;
};

describe('work that clients share', () => {
  it('is done once each, with the results in the order of the items', async () => {
    const paths = ['4', '5', '6', '7', '8', '9'];
    expect(await shareOut(crewOf(4), paths, fetchText)).toEqual(paths.map((path) => `/${path}`));
    expect([...asked].sort()).toEqual(paths.map((path) => `/${path}`));
  });

  it('ends for everyone with the first wrong answer, which is told', async () => {
    const paths = ['1', '2', '3', '4', '5'];
    const { wrong } = await tried(shareOut(crewOf(1), paths, fetchText));
    expect(wrong).toMatchObject({ request: 'GET 3', why: 'the status is 500', status: 500 });
    expect(asked).toEqual(['/1', '/2', '/3']);
  });

  it('takes no answer for a wrong one', async () => {
    const nowhere = {
      target: { origin: 'http://127.0.0.1:1', base: '/', headers: {} },
      clients: 1,
    };
    const { wrong } = await tried(shareOut(nowhere, ['1'], fetchText));
    expect(wrong?.why).toMatch(/ECONNREFUSED/);
  });

  it('does not take a fault of its own for a wrong answer', async () => {
    const work = tried(Promise.reject(new TypeError('a bug')));
    await expect(work).rejects.toThrow('a bug');
  });
});
