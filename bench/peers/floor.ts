/**
 * The floor: node:http and the driver, the few queries that the work takes, and nothing checked. No
 * honest server does the same with less.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import mongoose from 'mongoose';
import {
  BASE,
  MEDIA_TYPE,
  type PatchBody,
  presentError,
  presentList,
  presentUser,
  type ScimUser,
  userNameIn,
} from './scim-messages.js';
import { endOnSignal, readSettings, SAFETY } from './settings.js';

interface Row {
  readonly _id: string;
  /** The user name in lower case. */
  readonly key: string;
  readonly created: Date;
  readonly modified: Date;
  readonly user: object;
}

endOnSignal();
const { uri, port } = readSettings();
const client = await mongoose.mongo.MongoClient.connect(uri, SAFETY);
const users = client.db().collection<Row>('users');
await users.createIndexes([{ key: { key: 1 }, unique: true }, { key: { created: 1, _id: 1 } }]);

const DUPLICATE = 11_000;

interface Reply {
  readonly status: number;
  readonly body: object;
}

const rowOf = (user: ScimUser): Row => {
  const now = new Date();
  return { _id: randomUUID(), key: user.userName.toLowerCase(), created: now, modified: now, user };
};

const present = ({ _id, user, created, modified }: Row): object =>
  presentUser(_id, user, { created, modified });

const foundOr404 = (row: Row | null): Reply =>
  row
    ? { status: 200, body: present(row) }
    : { status: 404, body: presentError(404, 'There is no such user.') };

const create = async (user: ScimUser): Promise<Reply> => {
  const row = rowOf(user);
  await users.insertOne(row);
  return { status: 201, body: present(row) };
};

const find = async (filter: string): Promise<Reply> => {
  const row = await users.findOne({ key: userNameIn(filter)?.toLowerCase() ?? '' });
  return { status: 200, body: presentList(row ? [present(row)] : [], row ? 1 : 0) };
};

const page = async (query: URLSearchParams): Promise<Reply> => {
  const startIndex = Number(query.get('startIndex') ?? 1);
  const cursor = users
    .find()
    .sort({ created: 1, _id: 1 })
    .skip(startIndex - 1)
    .limit(Number(query.get('count') ?? 100));
  const [rows, total] = await Promise.all([cursor.toArray(), users.countDocuments()]);
  return { status: 200, body: presentList(rows.map(present), total, startIndex) };
};

const patch = async (id: string, { Operations: [operation] }: PatchBody): Promise<Reply> => {
  if (!operation) return { status: 400, body: presentError(400, 'There is no operation.') };
  const $set = { [`user.${operation.path}`]: operation.value, modified: new Date() };
  return foundOr404(
    await users.findOneAndUpdate({ _id: id }, { $set }, { returnDocument: 'after' }),
  );
};

/** For the benchmark: the directory that the work is done in. */
const preload = async (batch: readonly ScimUser[]): Promise<Reply> => {
  await users.insertMany(batch.map(rowOf));
  return { status: 200, body: {} };
};

const bodyOf = async <Body>(request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
};

const list = (search: string): Promise<Reply> => {
  const query = new URLSearchParams(search);
  const filter = query.get('filter');
  return filter === null ? page(query) : find(filter);
};

const USERS = `${BASE}/Users`;

const serve = async (request: IncomingMessage): Promise<Reply> => {
  const [path = '', search = ''] = (request.url ?? '').split('?', 2);
  if (path === '/readyz') return { status: 200, body: {} };
  if (path === '/preload') return preload(await bodyOf<ScimUser[]>(request));
  if (path === USERS)
    return request.method === 'GET' ? list(search) : create(await bodyOf(request));
  const id = path.slice(USERS.length + 1);
  if (request.method === 'PATCH') return patch(id, await bodyOf(request));
  return foundOr404(await users.findOne({ _id: id }));
};

const failure = (error: unknown): Reply => {
  const { MongoServerError } = mongoose.mongo;
  const status = error instanceof MongoServerError && error.code === DUPLICATE ? 409 : 500;
  return { status, body: presentError(status, String(error)) };
};

const answer = (response: ServerResponse, { status, body }: Reply): void => {
  response.statusCode = status;
  response.setHeader('Content-Type', MEDIA_TYPE);
  response.end(JSON.stringify(body));
};

createServer((request, response) => {
  void serve(request)
    .catch(failure)
    .then((reply) => answer(response, reply));
}).listen(port, '127.0.0.1');
