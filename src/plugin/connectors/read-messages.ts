import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import { type Connector, type ReadMessage, SourceError } from '../connector-contract.js';

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
  }),
]);

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A message as the connector declares it. A record that does not match becomes a recordError; a
 * message of another form is an error of the connector, which ends the read.
 */
export const checkMessage = (connector: Connector, given: unknown): ReadMessage => {
  const { data: message, error } = Message.safeParse(given);
  if (!message)
    throw new SourceError(
      'schema',
      `The connector yielded a malformed message: ${error.issues[0]?.path.join('.') ?? ''} ` +
        `${error.issues[0]?.message ?? ''}.`,
    );
  if (message.type !== 'record') return message as ReadMessage;
  const record = connector.record.safeParse(message.data);
  if (record.success) return { ...message, data: record.data };
  const [issue] = record.error.issues;
  return {
    type: 'recordError',
    id: message.id,
    message: `${issue?.path.join('.') ?? 'The record'}: ${issue?.message ?? 'is malformed'}`,
  };
};
