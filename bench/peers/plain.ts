/**
 * Plain: express and mongoose as most people would write it, without validation beyond the
 * schema's, without lean reads, and with an index where a look-up needs one.
 */
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import mongoose, { Schema } from 'mongoose';
import { ENTERPRISE_SCHEMA } from '../load/scim-user.js';
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

const send = (response: Response, status: number, body: object): void =>
  void response.status(status).type(MEDIA_TYPE).send(JSON.stringify(body));

const sendUser = (response: Response, user: UserDocument | null): void =>
  user
    ? send(response, 200, toScim(user))
    : send(response, 404, presentError(404, 'There is no such user.'));

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

/** For the benchmark: the directory that the work is done in. */
const preload = async (request: Request, response: Response): Promise<void> => {
  await User.insertMany((request.body as readonly ScimUser[]).map(toDocument));
  send(response, 200, {});
};

const DUPLICATE = 11_000;

const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const isDuplicate = error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE;
  const status = isDuplicate ? 409 : 500;
  send(response, status, presentError(status, String(error)));
};

endOnSignal();
const { uri, port } = readSettings();
await mongoose.connect(uri, SAFETY);
await User.init();

const app = express();
app.use(express.json({ type: [MEDIA_TYPE, 'application/json'], limit: '8mb' }));
app.post(`${BASE}/Users`, createUser);
app.get(`${BASE}/Users`, listUsers);
app.get(`${BASE}/Users/:id`, readUser);
app.patch(`${BASE}/Users/:id`, patchUser);
app.post('/preload', preload);
app.get('/readyz', (_request, response) => send(response, 200, {}));
app.use(answerError);
app.listen(port, '127.0.0.1');
