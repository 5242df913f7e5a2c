import type { Express, Request, Response } from 'express';
import mongoose, { Schema } from 'mongoose';
import { ENTERPRISE_SCHEMA } from '../load/scim-user.js';
import { send, sendNotFound } from './plain-responses.js';
import { type BulkBody, presentBulk } from './scim-groups.js';
import {
  BASE,
  type PatchBody,
  presentList,
  presentUser,
  type ScimUser,
  userNameIn,
} from './scim-messages.js';
import { SAFETY } from './settings.js';

const valueSchema = new Schema({ value: String, type: String, primary: Boolean }, { _id: false });

const userSchema = new Schema(
  {
    schemas: [String],
    externalId: String,
    userName: String,
    userNameLower: String,
    name: { givenName: String, familyName: String, formatted: String },
    displayName: String,
    title: String,
    locale: String,
    emails: [valueSchema],
    phoneNumbers: [valueSchema],
    active: Boolean,
    enterprise: { employeeNumber: String, department: String },
  },
  { timestamps: true, ...SAFETY },
);
userSchema.index({ userNameLower: 1 }, { unique: true });

export const User = mongoose.model('User', userSchema);
type UserDocument = InstanceType<typeof User>;

const toDocument = (body: ScimUser): object => ({
  ...body,
  userNameLower: body.userName.toLowerCase(),
  enterprise: (body as { readonly [ENTERPRISE_SCHEMA]?: object })[ENTERPRISE_SCHEMA],
});

const toScim = (user: UserDocument): object => {
  const { _id, __v, userNameLower, enterprise, createdAt, updatedAt, ...rest } = user.toObject();
  const core = { ...rest, [ENTERPRISE_SCHEMA]: enterprise };
  return presentUser(String(_id), core, { created: createdAt, modified: updatedAt });
};

const sendUser = (response: Response, user: UserDocument | null): void =>
  user ? send(response, 200, toScim(user)) : sendNotFound(response, 'User');

const createUser = async (request: Request, response: Response): Promise<void> => {
  const user = new User(toDocument(request.body as ScimUser));
  await user.save();
  send(response, 201, toScim(user));
};

const readUser = async (request: Request, response: Response): Promise<void> =>
  sendUser(response, await User.findById(request.params.id));

const listUsers = async (request: Request, response: Response): Promise<void> => {
  const { filter, startIndex = 1, count = 100 } = request.query;
  if (typeof filter === 'string') {
    const user = await User.findOne({ userNameLower: userNameIn(filter)?.toLowerCase() ?? '' });
    send(response, 200, presentList(user ? [toScim(user)] : [], user ? 1 : 0));
    return;
  }
  const users = await User.find()
    .skip(Number(startIndex) - 1)
    .limit(Number(count));
  const total = await User.countDocuments();
  send(response, 200, presentList(users.map(toScim), total, Number(startIndex)));
};

const patchUser = async (request: Request, response: Response): Promise<void> => {
  const user = await User.findById(request.params.id);
  for (const { path, value } of (request.body as PatchBody).Operations) user?.set(path, value);
  await user?.save();
  sendUser(response, user);
};

/** One after the other, like separate POSTs. */
const createUsers = async (request: Request, response: Response): Promise<void> => {
  const created: { bulkId: string; id: string }[] = [];
  for (const { bulkId, data } of (request.body as BulkBody<ScimUser>).Operations) {
    const user = new User(toDocument(data));
    await user.save();
    created.push({ bulkId, id: String(user._id) });
  }
  send(response, 200, presentBulk(created));
};

/** Called by the benchmark before the workloads. */
export const preloadUsers = async (request: Request, response: Response): Promise<void> => {
  await User.insertMany((request.body as readonly ScimUser[]).map(toDocument));
  send(response, 200, {});
};

export const serveUsers = (app: Express): void => {
  app.post(`${BASE}/Users`, createUser);
  app.get(`${BASE}/Users`, listUsers);
  app.get(`${BASE}/Users/:id`, readUser);
  app.patch(`${BASE}/Users/:id`, patchUser);
  app.post(`${BASE}/Bulk`, createUsers);
};
