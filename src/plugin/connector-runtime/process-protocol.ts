import { z } from 'zod';
import { Secret } from '../../../config/secret.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { type ReadRequest, SourceError } from '../contract/connector-contract.js';

/** What the process of a connector is started with. */
export interface ProcessStart {
  readonly name: string;
  /** The name of a built-in connector, if there is no URL. */
  readonly use: string;
  readonly url: string | null;
  /** As `encodeSettings` returned them. */
  readonly settings: unknown;
  readonly allow: readonly string[];
  readonly ca: string | undefined;
  readonly userAgent: string;
  /** Until when each host wants no requests. */
  readonly pauses: readonly (readonly [host: string, until: number])[];
}

/** A call to the connector. `reading` names a read; `abort` has no answer. */
export type ProcessCall =
  | { readonly type: 'start'; readonly start: ProcessStart }
  | { readonly type: 'check' | 'discover' | 'close' }
  | {
      readonly type: 'read';
      readonly reading: number;
      readonly request: Omit<ReadRequest, 'signal'>;
    }
  | { readonly type: 'next' | 'return'; readonly reading: number }
  | { readonly type: 'abort'; readonly reading: number | null };

/** A page of a read. */
export interface ProcessPage {
  /** The messages as JSON: a text of bounded length, whatever they contain. */
  readonly messages: string;
  readonly isDone: boolean;
}

export type ToProcess =
  | { readonly id: number; readonly call: ProcessCall }
  | { readonly answer: number; readonly value?: JsonValue | undefined; readonly error?: string };

const PLAIN_ERROR = z.object({
  kind: z.enum(['config', 'auth', 'permission', 'rate-limit', 'network', 'schema']),
  message: z.string(),
  retryAfterMs: z.number().optional(),
});

/** A SourceError as it crosses processes. */
type PlainError = z.infer<typeof PLAIN_ERROR>;

/** Checked, because the code of a connector can send messages, too. */
export const FROM_PROCESS = z.discriminatedUnion('type', [
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('result'), id: z.number(), value: z.unknown() }),
  z.object({ type: z.literal('error'), id: z.number(), error: PLAIN_ERROR }),
  z.object({
    type: z.literal('log'),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    fields: z.record(z.string(), z.unknown()),
    message: z.string(),
  }),
  z.object({ type: z.literal('pause'), host: z.string(), until: z.number() }),
  z.object({ type: z.literal('get'), ask: z.number(), key: z.string() }),
  z.object({
    type: z.literal('set'),
    ask: z.number(),
    key: z.string(),
    value: z.custom<JsonValue>(),
  }),
]);

export type FromProcess = z.infer<typeof FROM_PROCESS>;

export const toPlain = ({ kind, message, options }: SourceError): PlainError => ({
  kind,
  message,
  retryAfterMs: options.retryAfterMs,
});

export const fromPlain = ({ kind, message, retryAfterMs }: PlainError): SourceError =>
  new SourceError(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs });

const SECRET = 'rollgate.secret';

/** Settings that can be passed to a process: with what their secrets are now. */
export const encodeSettings = (value: unknown): unknown => {
  if (value instanceof Secret) return { [SECRET]: value.reveal() };
  if (Array.isArray(value)) return value.map(encodeSettings);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, encodeSettings(inner)]),
  );
};

export const decodeSettings = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(decodeSettings);
  if (!isPlain(value)) return value;
  const secret = value[SECRET];
  if (typeof secret === 'string') return new Secret(secret);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, decodeSettings(inner)]),
  );
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
