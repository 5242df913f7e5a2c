import type { Response } from 'express';
import { MEDIA_TYPE, presentError } from './scim-messages.js';

export const send = (response: Response, status: number, body: object): void =>
  void response.status(status).type(MEDIA_TYPE).send(JSON.stringify(body));

export const sendNotFound = (response: Response, what: string): void =>
  send(response, 404, presentError(404, `${what} not found.`));
