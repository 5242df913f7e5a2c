import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import type { Manifest, PluginLog, PluginMetrics } from './extension.js';

/**
 * A source of users, such as an HR system. It only reads: the host compares what it read with what it
 * applied before, guards the difference and submits commands (decision 0032).
 */
export interface Connector<Settings = unknown> extends Manifest<Settings> {
  /**
   * What it was run against: `server`, the real software or service, or `description`, servers built
   * from the vendor's published description. Operators see it in `rollgate connector list`.
   */
  readonly triedAgainst: 'server' | 'description';
  /** The fields of a record; a record that does not match is quarantined alone. */
  readonly record: z.ZodType<JsonObject>;
  /** Its delta reads. Absent: every read is a full one. */
  readonly deltas?: DeltaSupport;
  /** Counts incompatible changes of its cursors, from 1: another version starts with a full read. */
  readonly cursorVersion?: number;
  /**
   * Its records are uploaded by clients (`POST …/connectors/{name}/bulkUpload`): the host reads what it
   * has stored instead of calling `read`.
   */
  readonly receivesUploads?: true;
  /** How a record becomes a user, unless the operator configures another mapping. */
  readonly mapping: Mapping;
  /** Which fields tell when a person starts and leaves, unless the operator configures others. */
  readonly lifecycle?: Lifecycle;
  /**
   * Called for each section of the configuration that uses it, in a process of its own, and again when
   * that process was ended or had nothing to do. A rejection disables the connector, never the gateway,
   * and is shown to the operator: say what to do.
   */
  readonly start: (host: ConnectorHost<Settings>) => Promise<RunningConnector> | RunningConnector;
}

/** What the delta reads of a connector can show. */
export interface DeltaSupport {
  /** Whether it yields a tombstone for each record that was deleted from the source. */
  readonly reportsDeletions: boolean;
}

/** A started connector. */
export interface RunningConnector {
  /** Whether the source can be read with these settings. Cheap, and ends within 30 s. */
  readonly check: (signal: AbortSignal) => Promise<SourceCheck>;
  /** The fields that the source offers, for checking and writing mappings. */
  readonly discover?: (signal: AbortSignal) => Promise<readonly SourceField[]>;
  /**
   * Reads the source, page by page as the host asks for more. Throws a SourceError, and never yields
   * `complete` after a page that was cut, failed or missing.
   */
  readonly read: (request: ReadRequest) => AsyncIterable<ReadMessage>;
  /** Called once, after the last read has ended. Time limit: 5 s. */
  readonly stop?: () => Promise<void> | void;
}

/**
 * A connector as its host uses it. Every call has a time limit, and every error is a SourceError. A
 * record that does not match the connector's `record` comes as a recordError. A read of which nothing
 * was heard for 2 min ends with an error. After a call that hung, or 30 s without a call, it has to be
 * started again.
 */
export type OpenConnector = Omit<RunningConnector, 'stop'>;

/** What to read. */
export interface ReadRequest {
  /** `full`: all people. `delta`: what changed since the cursor, and maybe more. */
  readonly mode: 'full' | 'delta';
  /**
   * In a delta, the cursor of the last applied read. In a read that resumes after a crash, the last
   * checkpoint of the same read. Null: start at the beginning.
   */
  readonly cursor: JsonValue;
  /** True if `cursor` is a checkpoint of this read. */
  readonly isResumed: boolean;
  readonly pageSize: number;
  /** Only these records, by id: a run for single people. Such a read has no cursor. */
  readonly ids?: readonly string[];
  /** For a preview: the source must stay as it is, such as a file that a read moves to an archive. */
  readonly isTrial?: true;
  /** Aborts if the run ends; the read must end within 1 s. */
  readonly signal: AbortSignal;
}

/** What a read yields. */
export type ReadMessage =
  | {
      readonly type: 'record';
      /** Stable in the source: it survives renames. 1 to 200 characters. */
      readonly id: string;
      readonly data: JsonObject;
      /**
       * All values of fields of which `data` has one, where the source has no order of them: the one that
       * was applied is kept as long as it is among them.
       */
      readonly alternatives?: Readonly<Record<string, readonly string[]>> | undefined;
    }
  /** The source says that it deleted the record. */
  | { readonly type: 'tombstone'; readonly id: string }
  /** Everything before it is safe: a read that is interrupted continues from this cursor. */
  | { readonly type: 'checkpoint'; readonly cursor: JsonValue }
  /** A record that cannot be read; the others can. */
  | { readonly type: 'recordError'; readonly id?: string; readonly message: string }
  /**
   * The read covered everything that was requested. Only after this may a full read imply that missing
   * people have left.
   */
  | {
      readonly type: 'complete';
      /** Where the next delta starts; null if there are no deltas. */
      readonly cursor: JsonValue;
      /** How many records the source says there are; another number than was read ends the run. */
      readonly total?: number;
      /**
       * Which export a full read has read, such as a file with its size and time. Reading the same one
       * again does not count as another read from which a person is missing. Absent: each read is
       * the source's state of that moment. 1 to 500 characters.
       */
      readonly snapshot?: string;
      /**
       * When the source wrote the export that a full read has read, as an ISO 8601 time in UTC, such as
       * `2026-11-22T10:00:00Z`. An export that is older than the last one changes nothing: its read
       * fails, unless the operator allows it.
       */
      readonly takenAt?: string;
    };

/** The result of a check. */
export type SourceCheck =
  | { readonly ok: true; readonly message: string }
  | {
      readonly ok: false;
      readonly kind: SourceErrorKind;
      /** What is wrong and what to do; no secrets. */
      readonly message: string;
    };

/** A field of the source. */
export interface SourceField {
  /** As a mapping names it. */
  readonly path: string;
  readonly title?: string;
  readonly type?: string;
}

/** How a record becomes a user: rules by attribute of the user, such as `name.givenName`. */
export type Mapping = Readonly<Record<string, MappingRule>>;

/** A path, with alternatives: `preferredName | firstName`; or a rule with more. */
export type MappingRule =
  | string
  | {
      readonly path: string;
      readonly transform?: readonly Transform[];
      /** Without a value the record is quarantined. */
      readonly required?: boolean;
      readonly default?: JsonValue;
    }
  /** `{firstName} {lastName}`; without a value if one of its fields has none. */
  | { readonly template: string; readonly transform?: readonly Transform[] }
  | { readonly constant: JsonValue }
  /** An expression in JSONata, run in a process of its own with limits of time and memory. */
  | { readonly jsonata: string };

/** One step of a mapping rule. */
export type Transform =
  | 'trim'
  | 'lower'
  | 'upper'
  | { readonly map: Readonly<Record<string, JsonValue>>; readonly otherwise?: JsonValue }
  | { readonly split: string }
  | { readonly join: string }
  /** From this format, such as `dd.MM.yyyy`, to an ISO date. */
  | { readonly date: string }
  /** To E.164, with this country (ISO 3166-1 alpha-2) for national numbers. */
  | { readonly phone: string };

/** Which fields of a record tell when a person starts and leaves. */
export interface Lifecycle {
  /** A path to the first day, an ISO date. */
  readonly start?: string;
  /** A path to the last day, an ISO date: the user is deactivated when it has ended. */
  readonly end?: string;
  /** A path to a status and its values that take a seat, or do not; others follow the dates. */
  readonly status?: {
    readonly path: string;
    readonly active?: readonly string[];
    readonly inactive?: readonly string[];
    /** Any other value is a mistake: the record is quarantined. */
    readonly isStrict?: true;
  };
}

/** What the gateway provides to one connector. */
export interface ConnectorHost<Settings = unknown> {
  /** The key of its section in the configuration. */
  readonly name: string;
  readonly settings: Settings;
  readonly log: PluginLog;
  readonly clock: SourceClock;
  /** HTTP and HTTPS through the address guard, with retries and rate limits. */
  readonly http: SourceHttp;
  /** Other connections through the address guard. */
  readonly network: SourceNetwork;
  /** Small values that survive restarts. */
  readonly state: SourceState;
  /** With `isolation: none` only: the gateway waits for no process to show metrics. */
  readonly metrics: PluginMetrics;
  /** Aborts if the gateway stops. */
  readonly signal: AbortSignal;
}

/** Time, which tests control. */
export interface SourceClock {
  readonly now: () => Date;
  /** Rejects with the signal's reason if it aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A request to a source. */
export interface SourceRequest {
  readonly url: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A secret in it is never logged. */
  readonly auth?:
    { readonly user: string; readonly password: string } | { readonly bearer: string };
  readonly json?: JsonValue;
  readonly form?: Readonly<Record<string, string>>;
  /** Default: 30 s. */
  readonly timeoutMs?: number;
  /** Default: 64 MiB; a longer response is a SourceError. Does not apply to streams. */
  readonly bodyLimit?: number;
  readonly signal?: AbortSignal;
}

/** A response of a source, of any status that was not retried. */
export interface SourceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Requests to the source. 429, 408, 502, 503, 504 and broken connections are repeated, after
 * `Retry-After` or `X-RateLimit-Reset` if the response has one, else with growing pauses; the pause
 * applies to all requests to that host. After the last attempt, and if the source wants no requests for
 * more than 15 min, it throws a SourceError; until that pause is over, so does every request. 401 is never
 * repeated: sources block addresses for it. Redirects are followed within the host only. Bodies are
 * decoded as they declare it, else as UTF-8; one that is not in its encoding is a SourceError.
 */
export interface SourceHttp {
  readonly get: (request: SourceRequest) => Promise<SourceResponse>;
  readonly post: (request: SourceRequest) => Promise<SourceResponse>;
  /**
   * The body as a stream, for responses of any size: a POST if the request has `json` or `form`, else
   * a GET. It is in UTF-8, whatever the source sends. A stream that stops sending ends with an error after `timeoutMs`.
   */
  readonly stream: (
    request: SourceRequest,
  ) => Promise<Omit<SourceResponse, 'body'> & { readonly body: Readable }>;
}

/** Connections other than HTTP. */
export interface SourceNetwork {
  /** A connected socket; the address guard checks the address that is dialled. */
  readonly connect: (target: {
    readonly host: string;
    readonly port: number;
    readonly signal?: AbortSignal;
  }) => Promise<Socket>;
}

/** Small values of a connector, up to 1 MiB each. */
export interface SourceState {
  readonly get: (key: string) => Promise<JsonValue | undefined>;
  readonly set: (key: string, value: JsonValue) => Promise<void>;
}

/**
 * Why a source cannot be read. `config` and `auth`: an operator must act, no retry. `permission`:
 * signed in, but not allowed to read. `rate-limit` and `network`: later may help. `schema`: the source
 * answers in another form than expected, which ends the run.
 */
export type SourceErrorKind =
  'config' | 'auth' | 'permission' | 'rate-limit' | 'network' | 'schema';

/** The same in every copy of this module: an extension may bring a copy of its own. */
const SOURCE_ERROR = Symbol.for('rollgate.SourceError');

/** The source cannot be read. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /** The message says what is wrong and what to do, and contains no secrets. */
  constructor(
    readonly kind: SourceErrorKind,
    message: string,
    readonly options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }

  get [SOURCE_ERROR](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && SOURCE_ERROR in value;
  }
}

/**
 * Declares a connector; its settings are typed by its schema. The result is what a module exports as
 * its default.
 */
export const defineConnector = <Settings>(connector: Connector<Settings>): Connector =>
  connector as unknown as Connector;

/**
 * Loads a library that is installed only where a connector needs it:
 * `await optionalLibrary('ldapts', () => import('ldapts'))`. Throws a SourceError that names the
 * command to install it.
 */
export const optionalLibrary = async <Library>(
  name: string,
  load: () => Promise<Library>,
): Promise<Library> => {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMissing = /MODULE_NOT_FOUND/.test(code ?? '') && message.includes(`'${name}'`);
    if (!isMissing) throw cause;
    throw new SourceError(
      'config',
      `The package ${name} is not installed. Install it where Rollgate is installed: ` +
        `npm install ${name}`,
      { cause },
    );
  }
};
