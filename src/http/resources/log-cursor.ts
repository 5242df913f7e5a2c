import { parseCommandId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { LogPosition } from '../../ports/command-log.js';
import type { TailPosition } from './watch-log.js';

/** Encodes the position of the next page; opaque to clients and URL-safe. */
export const writeLogCursor = ({ at, id }: LogPosition): string =>
  Buffer.from(`${at.getTime()} ${id}`).toString('base64url');

/** The id of an event of the live log. */
export const writeTailCursor = ({ at, id, unapplied }: TailPosition): string =>
  Buffer.from(`${at.getTime()} ${id} ${unapplied}`).toString('base64url');

const refuseCursor = (path: 'cursor' | 'Last-Event-ID'): never => {
  const what = path === 'cursor' ? '`next` of the previous page' : 'the `id` of an event';
  const message = `must be ${what}, unchanged`;
  return raise('INVALID_REQUEST', `The request is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
};

const CURSOR = /^(\d{1,15}) (\S{1,64})$/;

const TAIL_CURSOR = /^(\d{1,15}) (\S{1,64})(?: (\d{1,15}))?$/;

const readCursor = (
  text: string,
  form: RegExp,
  sentAs: 'cursor' | 'Last-Event-ID',
): LogPosition & Partial<TailPosition> => {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const [, at, given = '', unapplied] = form.exec(decoded) ?? [];
  const id = parseCommandId(given);
  if (!id) return refuseCursor(sentAs);
  const position = { at: new Date(Number(at)), id };
  return unapplied === undefined ? position : { ...position, unapplied: Number(unapplied) };
};

/** Earlier versions wrote a position without `unapplied`. */
export const readTailCursor = (text: string): LogPosition & Partial<TailPosition> =>
  readCursor(text, TAIL_CURSOR, 'Last-Event-ID');

export const readLogCursor = (text: string): LogPosition => readCursor(text, CURSOR, 'cursor');
