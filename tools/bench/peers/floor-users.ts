import { randomUUID } from 'node:crypto';
import type mongoose from 'mongoose';
import type { Reply } from './floor-reply.js';
import { type BulkBody, presentBulk } from './scim-groups.js';
import {
  type PatchBody,
  presentError,
  presentList,
  presentUser,
  type ScimUser,
  userNameIn,
} from './scim-messages.js';

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
export const openUsers = async (database: mongoose.mongo.Db) => {
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
