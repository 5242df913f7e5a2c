import express, {
  type Response,
  type Express,
  type Request,
  type ErrorRequestHandler,
} from 'express';
import {
  MEDIA_TYPE,
  presentError,
  type BulkBody,
  presentBulk,
  BASE,
  type PatchBody,
  presentList,
  presentUser,
  type ScimUser,
  userNameIn,
  SAFETY,
  type MemberPatch,
  presentGroup,
  type ScimGroup,
  announce,
  readUri,
} from './scim-messages.js';
import mongoose, { Schema } from 'mongoose';
import { ENTERPRISE_SCHEMA } from '../load/scim-bodies.js';

const send = (response: Response, status: number, body: object): void =>
  void response.status(status).type(MEDIA_TYPE).send(JSON.stringify(body));

const sendNotFound = (response: Response, what: string): void =>
  send(response, 404, presentError(404, `${what} not found.`));

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

const User = mongoose.model('User', userSchema);
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
const preloadUsers = async (request: Request, response: Response): Promise<void> => {
  await User.insertMany((request.body as readonly ScimUser[]).map(toDocument));
  send(response, 200, {});
};

const serveUsers = (app: Express): void => {
  app.post(`${BASE}/Users`, createUser);
  app.get(`${BASE}/Users`, listUsers);
  app.get(`${BASE}/Users/:id`, readUser);
  app.patch(`${BASE}/Users/:id`, patchUser);
  app.post(`${BASE}/Bulk`, createUsers);
};

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

const Group = mongoose.model('Group', groupSchema);
type GroupDocument = InstanceType<typeof Group>;

const toScimGroup = (group: GroupDocument): object => {
  const { _id, externalId, displayName, createdAt, updatedAt, members } = group.toObject();
  return presentGroup(
    String(_id),
    { displayName: displayName ?? '', ...(externalId != null && { externalId }) },
    { created: createdAt, modified: updatedAt },
    members.map(({ value }) => String(value)),
  );
};

const createGroup = async (request: Request, response: Response): Promise<void> => {
  const body = request.body as ScimGroup;
  const group = new Group({ ...body, displayNameLower: body.displayName.toLowerCase() });
  await group.save();
  send(response, 201, toScimGroup(group));
};

const readGroup = async (request: Request, response: Response): Promise<void> => {
  const group = await Group.findById(request.params.id);
  if (group) send(response, 200, toScimGroup(group));
  else sendNotFound(response, 'Group');
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

const serveGroups = (app: Express): void => {
  app.post(`${BASE}/Groups`, createGroup);
  app.get(`${BASE}/Groups/:id`, readGroup);
  app.patch(`${BASE}/Groups/:id`, patchGroup);
};

/**
 * Plain: express and mongoose as in most applications, with the schema's validation only, without
 * lean reads, and with an index for each lookup.
 */

const DUPLICATE = 11_000;

const handleError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const isDuplicate = error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE;
  const status = isDuplicate ? 409 : 500;
  send(response, status, presentError(status, String(error)));
};

await mongoose.connect(readUri(), SAFETY);
await Promise.all([User.init(), Group.init()]);

const app = express();
app.use(express.json({ type: [MEDIA_TYPE, 'application/json'], limit: '8mb' }));
serveUsers(app);
serveGroups(app);
app.post('/preload', preloadUsers);
app.get('/readyz', (_request, response) => send(response, 200, {}));
app.use(handleError);
announce(app.listen(0, '127.0.0.1'));
