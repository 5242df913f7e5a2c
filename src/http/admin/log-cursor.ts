import type { LogPosition } from '../../api/command-log.js';
import { parseCommandId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';

/** Encodes the position of the next page; opaque to clients and URL-safe. */
export const writeLogCursor = ({ at, id }: LogPosition): string =>
  Buffer.from(`${at.getTime()} ${id}`).toString('base64url');

const refuseCursor = (): never => {
  const message = 'must be `next` of the previous page, unchanged';
  return raise('INVALID_REQUEST', `The query is not valid: cursor ${message}.`, {
    details: [{ path: 'cursor', message }],
  });
};

const CURSOR = /^(\d{1,15}) (\S{1,64})$/;

export const readLogCursor = (text: string): LogPosition => {
  const [, at, given] = CURSOR.exec(Buffer.from(text, 'base64url').toString('utf8')) ?? [];
  const id = parseCommandId(given ?? '');
  return id ? { at: new Date(Number(at)), id } : refuseCursor();
};
