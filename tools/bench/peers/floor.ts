import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import {
  type BulkBody,
  presentBulk,
  type PatchBody,
  presentError,
  presentList,
  presentUser,
  type ScimUser,
  userNameIn,
  type MemberPatch,
  presentGroup,
  type ScimGroup,
  BASE,
  MEDIA_TYPE,
  announce,
  readUri,
  SAFETY,
} from './scim-messages.js';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A response of the floor. */
interface Reply {
  readonly status: number;
  /** None with 204. */
  readonly body?: object;
}

interface Row {
  readonly _id: string;
  /** The user name in lower case. */
  readonly key: string;
  readonly created: Date;
  readonly modified: Date;
  readonly user: ScimUser;
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

/** The minimal queries for users. */
const openUsers = async (database: mongoose.mongo.Db) => {
  const users = database.collection<Row>('users');
  await users.createIndexes([{ key: { key: 1 }, unique: true }, { key: { created: 1, _id: 1 } }]);

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

  return {
    create: async (user: ScimUser): Promise<Reply> => {
      const row = rowOf(user);
      await users.insertOne(row);
      return { status: 201, body: present(row) };
    },
    read: async (id: string): Promise<Reply> => foundOr404(await users.findOne({ _id: id })),
    list: (query: URLSearchParams): Promise<Reply> => {
      const filter = query.get('filter');
      return filter === null ? page(query) : find(filter);
    },
    patch: async (id: string, { Operations: [operation] }: PatchBody): Promise<Reply> => {
      if (!operation) return { status: 400, body: presentError(400, 'There is no operation.') };
      const $set = { [`user.${operation.path}`]: operation.value, modified: new Date() };
      return foundOr404(
        await users.findOneAndUpdate({ _id: id }, { $set }, { returnDocument: 'after' }),
      );
    },
    /** All of them in one statement. */
    bulk: async ({ Operations }: BulkBody<ScimUser>): Promise<Reply> => {
      const rows = Operations.map(({ data }) => rowOf(data));
      await users.insertMany(rows, { ordered: false });
      const created = Operations.map(({ bulkId }, index) => ({
        bulkId,
        id: rows[index]?._id ?? '',
      }));
      return { status: 200, body: presentBulk(created) };
    },
    /** Called by the benchmark before the workloads. */
    preload: async (batch: readonly ScimUser[]): Promise<Reply> => {
      await users.insertMany(batch.map(rowOf));
      return { status: 200, body: {} };
    },
  };
};

interface GroupRow {
  readonly _id: string;
  /** The name in lower case. */
  readonly key: string;
  readonly created: Date;
  readonly modified: Date;
  readonly group: ScimGroup;
}

/** The id is `<group>/<user>`, so one index is enough for all queries. */
interface MemberRow {
  readonly _id: string;
}

const presentRow = (
  { _id, group, created, modified }: GroupRow,
  memberIds: readonly string[],
): object => presentGroup(_id, group, { created, modified }, memberIds);

/** `0` is the next character after `/`. */
const membersOf = (groupId: string) => ({ _id: { $gt: `${groupId}/`, $lt: `${groupId}0` } });

/** The minimal queries for groups; each member is a row. */
const openGroups = async (database: mongoose.mongo.Db) => {
  const groups = database.collection<GroupRow>('groups');
  const members = database.collection<MemberRow>('members');
  await groups.createIndexes([{ key: { key: 1 }, unique: true }]);

  const memberIdsOf = async (groupId: string): Promise<readonly string[]> => {
    const rows = await members.find(membersOf(groupId)).toArray();
    return rows.map(({ _id }) => _id.slice(groupId.length + 1));
  };

  return {
    create: async (group: ScimGroup): Promise<Reply> => {
      const now = new Date();
      const key = group.displayName.toLowerCase();
      const row = { _id: randomUUID(), key, created: now, modified: now, group };
      await groups.insertOne(row);
      return { status: 201, body: presentRow(row, []) };
    },
    read: async (id: string): Promise<Reply> => {
      const row = await groups.findOne({ _id: id });
      if (!row) return { status: 404, body: presentError(404, 'There is no such group.') };
      return { status: 200, body: presentRow(row, await memberIdsOf(id)) };
    },
    /** Two statements, one after the other: the members, then the group's time of change. */
    patch: async (id: string, { Operations: [operation] }: MemberPatch): Promise<Reply> => {
      const rows = (operation?.value ?? []).map(({ value }) => ({ _id: `${id}/${value}` }));
      await (operation?.op === 'add'
        ? members.insertMany(rows, { ordered: false })
        : members.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }));
      await groups.updateOne({ _id: id }, { $set: { modified: new Date() } });
      return { status: 204 };
    },
  };
};

/**
 * The floor: node:http and the driver, the minimal queries, and no checks. No correct server does
 * the same with less.
 */

const client = await mongoose.mongo.MongoClient.connect(readUri(), SAFETY);
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
  return id === undefined ? users.list(new URLSearchParams(search)) : resources.read(id);
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

const server = createServer((request, response) => {
  void serve(request)
    .catch(failure)
    .then((reply) => send(response, reply));
});
announce(server.listen(0, '127.0.0.1'));
