import { randomUUID } from 'node:crypto';
import type mongoose from 'mongoose';
import type { Reply } from './floor-reply.js';
import {
  displayNameIn,
  type MemberPatch,
  presentGroup,
  type ScimGroup,
  wantsMembers,
} from './scim-groups.js';
import { presentError, presentList } from './scim-messages.js';

interface Row {
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

const present = ({ _id, group, created, modified }: Row, memberIds?: readonly string[]): object =>
  presentGroup(_id, group, { created, modified }, memberIds);

/** `0` is the next character after `/`. */
const membersOf = (groupId: string) => ({ _id: { $gt: `${groupId}/`, $lt: `${groupId}0` } });

/** The minimal queries for groups; each member is a row. */
export const openGroups = async (database: mongoose.mongo.Db) => {
  const groups = database.collection<Row>('groups');
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
      return { status: 201, body: present(row, []) };
    },
    read: async (id: string, query: URLSearchParams): Promise<Reply> => {
      const isWhole = wantsMembers(query.get('excludedAttributes'));
      const row = await groups.findOne({ _id: id });
      if (!row) return { status: 404, body: presentError(404, 'There is no such group.') };
      return { status: 200, body: present(row, isWhole ? await memberIdsOf(id) : undefined) };
    },
    /** By name, without members. */
    list: async (query: URLSearchParams): Promise<Reply> => {
      const name = displayNameIn(query.get('filter') ?? '');
      const row = await groups.findOne({ key: name?.toLowerCase() ?? '' });
      return { status: 200, body: presentList(row ? [present(row)] : [], row ? 1 : 0) };
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
