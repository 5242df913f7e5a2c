/**
 * Plain: express and mongoose as in most applications, with the schema's validation only, without
 * lean reads, and with an index for each lookup.
 */
import express, { type ErrorRequestHandler } from 'express';
import mongoose from 'mongoose';
import { Group, serveGroups } from './plain-groups.js';
import { send } from './plain-responses.js';
import { preloadUsers, serveUsers, User } from './plain-users.js';
import { MEDIA_TYPE, presentError } from './scim-messages.js';
import { endOnSignal, readSettings, SAFETY } from './settings.js';

const DUPLICATE = 11_000;

const handleError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const isDuplicate = error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE;
  const status = isDuplicate ? 409 : 500;
  send(response, status, presentError(status, String(error)));
};

endOnSignal();
const { uri, port } = readSettings();
await mongoose.connect(uri, SAFETY);
await Promise.all([User.init(), Group.init()]);

const app = express();
app.use(express.json({ type: [MEDIA_TYPE, 'application/json'], limit: '8mb' }));
serveUsers(app);
serveGroups(app);
app.post('/preload', preloadUsers);
app.get('/readyz', (_request, response) => send(response, 200, {}));
app.use(handleError);
app.listen(port, '127.0.0.1');
