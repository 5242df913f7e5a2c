import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import { type Connector, type ReadMessage, SourceError } from '../contract/connector-contract.js';
import { excessOf } from '../contract/value-size.js';

/** A record as it is read; of most, only a few fields are kept. Cursors have the same limits. */
const LIMITS = { bytes: 1_048_576, values: 10_000, depth: 32 };

const id = z.string().min(1).max(200);
const cursor = z.custom<JsonValue>((value) => value !== undefined);

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('record'), id, data: z.custom<JsonObject>(isObject) }),
  z.object({ type: z.literal('tombstone'), id }),
  z.object({ type: z.literal('checkpoint'), cursor }),
  z.object({ type: z.literal('recordError'), id: id.optional(), message: z.string() }),
  z.object({
    type: z.literal('complete'),
    cursor,
    total: z.int().min(0).optional(),
    snapshot: z.string().min(1).max(500).optional(),
    takenAt: z.iso.datetime().optional(),
  }),
]);

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A message as the connector declares it. A record that is too large, or does not match `record`,
 * becomes a recordError; a message of another form is an error of the connector, which ends the read.
 * `record`: null if the records were compared with it before.
 */
export const checkMessage = (record: Connector['record'] | null, given: unknown): ReadMessage => {
  const { data: message, error } = Message.safeParse(given);
  if (!message)
    throw new SourceError(
      'schema',
      `The connector yielded a malformed message: ${error.issues[0]?.path.join('.') ?? ''} ` +
        `${error.issues[0]?.message ?? ''}.`,
    );
  if ('cursor' in message) requireSmallCursor(message.cursor);
  if (message.type !== 'record') return message as ReadMessage;
  const { id, data } = message;
  const excess = excessOf(data, LIMITS);
  if (excess !== undefined) return { type: 'recordError', id, message: `The record ${excess}.` };
  if (!record) return message;
  const result = record.safeParse(data);
  if (result.success) return { ...message, data: result.data };
  const [issue] = result.error.issues;
  return {
    type: 'recordError',
    id,
    message: `${issue?.path.join('.') ?? 'The record'}: ${issue?.message ?? 'is malformed'}`,
  };
};

const requireSmallCursor = (cursor: JsonValue): void => {
  const excess = excessOf(cursor, LIMITS);
  if (excess !== undefined) throw new SourceError('schema', `A cursor of the connector ${excess}.`);
};
