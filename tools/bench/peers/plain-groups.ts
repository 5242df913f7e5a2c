import type { Express, Request, Response } from 'express';
import mongoose, { Schema } from 'mongoose';
import { send, sendNotFound } from './plain-responses.js';
import {
  displayNameIn,
  type MemberPatch,
  presentGroup,
  type ScimGroup,
  wantsMembers,
} from './scim-groups.js';
import { BASE, presentList } from './scim-messages.js';
import { SAFETY } from './settings.js';

/** Members are an array in the group's document, as in most applications. */
const groupSchema = new Schema(
  {
    externalId: String,
    displayName: String,
    displayNameLower: String,
    members: [new Schema({ value: String }, { _id: false })],
  },
  { timestamps: true, ...SAFETY },
);
groupSchema.index({ displayNameLower: 1 }, { unique: true });

export const Group = mongoose.model('Group', groupSchema);
type GroupDocument = InstanceType<typeof Group>;

const toScim = (group: GroupDocument, isWhole: boolean): object => {
  const { _id, externalId, displayName, createdAt, updatedAt, members } = group.toObject();
  return presentGroup(
    String(_id),
    { displayName: displayName ?? '', ...(externalId != null && { externalId }) },
    { created: createdAt, modified: updatedAt },
    isWhole ? members.map(({ value }) => String(value)) : undefined,
  );
};

/** Members are read only if they are requested. */
const partOf = ({ query: { excludedAttributes } }: Request) => {
  const isWhole = wantsMembers(excludedAttributes);
  return { isWhole, fields: isWhole ? '' : '-members' };
};

const createGroup = async (request: Request, response: Response): Promise<void> => {
  const body = request.body as ScimGroup;
  const group = new Group({ ...body, displayNameLower: body.displayName.toLowerCase() });
  await group.save();
  send(response, 201, toScim(group, true));
};

const readGroup = async (request: Request, response: Response): Promise<void> => {
  const { isWhole, fields } = partOf(request);
  const group = await Group.findById(request.params.id).select(fields);
  if (group) send(response, 200, toScim(group, isWhole));
  else sendNotFound(response, 'Group');
};

const findGroup = async (request: Request, response: Response): Promise<void> => {
  const { isWhole, fields } = partOf(request);
  const { filter } = request.query;
  const name = (typeof filter === 'string' && displayNameIn(filter)) || '';
  const group = await Group.findOne({ displayNameLower: name.toLowerCase() }).select(fields);
  send(response, 200, presentList(group ? [toScim(group, isWhole)] : [], group ? 1 : 0));
};

const patchGroup = async (request: Request, response: Response): Promise<void> => {
  const { Operations } = request.body as MemberPatch;
  for (const { op, value } of Operations) {
    const members = value.map((member) => ({ value: member.value }));
    const change =
      op === 'add'
        ? { $addToSet: { members: { $each: members } } }
        : { $pull: { members: { value: { $in: members.map((member) => member.value) } } } };
    await Group.updateOne({ _id: request.params.id }, change);
  }
  response.status(204).end();
};

export const serveGroups = (app: Express): void => {
  app.post(`${BASE}/Groups`, createGroup);
  app.get(`${BASE}/Groups`, findGroup);
  app.get(`${BASE}/Groups/:id`, readGroup);
  app.patch(`${BASE}/Groups/:id`, patchGroup);
};
