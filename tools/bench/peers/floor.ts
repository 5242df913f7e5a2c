/**
 * The floor: node:http and the driver, the minimal queries, and no checks. No correct server does
 * the same with less.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import mongoose from 'mongoose';
import { openGroups } from './floor-groups.js';
import type { Reply } from './floor-reply.js';
import { openUsers } from './floor-users.js';
import { BASE, MEDIA_TYPE, presentError } from './scim-messages.js';
import { endOnSignal, readSettings, SAFETY } from './settings.js';

endOnSignal();
const { uri, port } = readSettings();
const client = await mongoose.mongo.MongoClient.connect(uri, SAFETY);
const users = await openUsers(client.db());
const groups = await openGroups(client.db());

const DUPLICATE = 11_000;

const bodyOf = async <Body>(request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
};

const serve = async (request: IncomingMessage): Promise<Reply> => {
  const [path = '', search = ''] = (request.url ?? '').split('?', 2);
  if (path === '/readyz') return { status: 200, body: {} };
  if (path === '/preload') return users.preload(await bodyOf(request));
  const [type, id] = path.slice(BASE.length + 1).split('/', 2);
  if (type === 'Bulk') return users.bulk(await bodyOf(request));
  const resources = type === 'Groups' ? groups : users;
  if (request.method === 'POST') return resources.create(await bodyOf(request));
  if (request.method === 'PATCH') return resources.patch(id ?? '', await bodyOf(request));
  const query = new URLSearchParams(search);
  return id === undefined ? resources.list(query) : resources.read(id, query);
};

const failure = (error: unknown): Reply => {
  const { MongoServerError } = mongoose.mongo;
  const status = error instanceof MongoServerError && error.code === DUPLICATE ? 409 : 500;
  return { status, body: presentError(status, String(error)) };
};

const send = (response: ServerResponse, { status, body }: Reply): void => {
  response.statusCode = status;
  if (body) response.setHeader('Content-Type', MEDIA_TYPE);
  response.end(body && JSON.stringify(body));
};

createServer((request, response) => {
  void serve(request)
    .catch(failure)
    .then((reply) => send(response, reply));
}).listen(port, '127.0.0.1');
