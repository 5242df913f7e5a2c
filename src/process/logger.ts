import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import pino, { type DestinationStream, type Logger } from 'pino';
import { isPhoneName, isSecretName } from '../../config/sensitive-names.js';

/** A position in a built file. */
const BUILT = /(file:\/\/\S+?\/dist\/\S+?\.js):(\d+):(\d+)/g;

/** Read for the first error that is logged: to read them at start would take 9 MB. */
const maps = new Map<string, SourceMap | undefined>();

const mapOf = (url: string): SourceMap | undefined => {
  if (!maps.has(url)) maps.set(url, readMap(url));
  return maps.get(url);
};

const readMap = (url: string): SourceMap | undefined => {
  try {
    const text = readFileSync(`${fileURLToPath(url)}.map`, 'utf8');
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return undefined;
  }
};

/**
 * A stack trace with positions in our sources instead of built files: `src/start/serve.ts:20:3`.
 *
 * @internal
 */
export const withSourcePositions = (stack: string): string =>
  stack.replace(BUILT, (position, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    // Positions in packages have no entry.
    if (!entry || !('originalSource' in entry) || !entry.originalSource) return position;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  });

type Kind = 'secret' | 'phone' | undefined;

const kindOfName = (name: string): Kind => {
  if (name === 'key' || isSecretName(name)) return 'secret';
  return isPhoneName(name) ? 'phone' : undefined;
};

/** By the names of fields; programs use few. */
const kinds = new Map<string, Kind>();
const MAX_NAMES = 1_000;

const kindOf = (name: string): Kind => {
  if (kinds.has(name)) return kinds.get(name);
  const kind = kindOfName(name);
  if (kinds.size < MAX_NAMES) kinds.set(name, kind);
  return kind;
};

/** Shown, for `smsLists: 3`. */
const MAX_COUNT = 99_999;

/** Whether a field is hidden, at any depth. */
const isHidden = (name: string, value: unknown): boolean => {
  const kind = kindOf(name);
  if (kind === undefined || typeof value === 'boolean') return false;
  return kind === 'secret' || typeof value !== 'number' || value > MAX_COUNT;
};

/** Lines are buffered up to this size… */
const BUFFER_BYTES = 4_096;
/** …or for this time: one write per request would cost 5 % of the request. */
const FLUSH_MS = 100;

/** Standard output, flushed when the process exits, also after an error. */
const standardOutput = (): DestinationStream => {
  const output = pino.destination({ dest: 1, minLength: BUFFER_BYTES });
  process.once('exit', () => {
    try {
      output.flushSync();
    } catch {
      // The reader has closed the pipe.
    }
  });
  // Only while lines wait: pino's own periodic flush wakes an idle process ten times a second.
  let isFlushDue = false;
  const flush = (): void => {
    isFlushDue = false;
    output.flush();
  };
  return {
    write: (line) => {
      output.write(line);
      if (isFlushDue) return;
      isFlushDue = true;
      setTimeout(flush, FLUSH_MS).unref();
    },
  };
};

/**
 * The log: one JSON object per line, on standard output by default. Callers never pass bodies or
 * secrets; hiding fields by name is a second safeguard.
 */
export const createLogger = (level: string, to: DestinationStream = standardOutput()): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: hideSecrets,
      },
      serializers: { err: describeError, error: describeError },
    },
    to,
  );

type Fields = Record<string, unknown>;

/**
 * The fields without secrets; the same object if there are none. (pino's own `redact` looks for every
 * configured path in every line, which takes thirty times as long.)
 */
const hideSecrets = (fields: Fields): Fields => {
  let safeFields = fields;
  for (const [name, value] of Object.entries(fields)) {
    const safe = isHidden(name, value) ? '(hidden)' : withoutSecrets(value);
    if (safe === value) continue;
    if (safeFields === fields) safeFields = { ...fields };
    safeFields[name] = safe;
  }
  return safeFields;
};

const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  const isPlain =
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? hideSecrets(value as Fields) : value;
};

/** An error and its causes, without the document that database errors contain. */
const describeError = (error: unknown): object => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = (error as { readonly code?: unknown }).code;
  return {
    type: name,
    message: message.replace(/dup key: .*$/s, 'dup key'),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: stack && withSourcePositions(stack.split('\n').slice(1, 8).join('\n')),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
};
