import { Secret } from '../../../config/secret.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import {
  type ReadRequest,
  SourceError,
  type SourceErrorKind,
} from '../contract/connector-contract.js';
import type { PluginLog } from '../contract/extension.js';

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

export type FromProcess =
  | { readonly type: 'alive' }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: PlainError }
  | {
      readonly type: 'log';
      readonly level: keyof PluginLog;
      readonly fields: object;
      readonly message: string;
    }
  | { readonly type: 'pause'; readonly host: string; readonly until: number }
  | { readonly type: 'get'; readonly ask: number; readonly key: string }
  | { readonly type: 'set'; readonly ask: number; readonly key: string; readonly value: JsonValue };

/** A SourceError as it crosses processes. */
export interface PlainError {
  readonly kind: SourceErrorKind;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

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

/** All secrets of decoded settings. */
export const secretsOf = (value: unknown): readonly string[] => {
  if (value instanceof Secret) return [value.reveal()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(secretsOf);
};
