import pino, { type DestinationStream, type Logger } from 'pino';

/** Whatever these fields hold, wherever they stand in a line, is not shown. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'token',
  'adminToken',
  'key',
  'secret',
  'password',
  'cookie',
  'phone_number',
  'phoneNumbers',
]);

/** Lines are written together once there are so many bytes of them… */
const TOGETHER_BYTES = 4_096;
/** …or after so many milliseconds: a write a request would cost a twentieth of the request. */
const LATEST_MS = 100;

/** Standard output. Whatever ends the process in order, or by an error, leaves no line behind. */
const standardOutput = (): DestinationStream => {
  const output = pino.destination({
    dest: 1,
    minLength: TOGETHER_BYTES,
    periodicFlush: LATEST_MS,
  });
  process.once('exit', () => {
    try {
      output.flushSync();
    } catch {
      // Nobody reads any more.
    }
  });
  return output;
};

/**
 * The log: one JSON object a line, on standard output where no other place is given. Nobody hands
 * it bodies or secrets; that known names are hidden all the same is a second lock on the door.
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
 * The same fields without secrets; the very same object where there are none. (pino's own `redact`
 * looks for every path it was given in every line: thirty times the time.)
 */
const hideSecrets = (fields: Fields): Fields => {
  let shown = fields;
  for (const [name, value] of Object.entries(fields)) {
    const safe = SECRET_FIELDS.has(name) ? '(hidden)' : withoutSecrets(value);
    if (safe === value) continue;
    if (shown === fields) shown = { ...fields };
    shown[name] = safe;
  }
  return shown;
};

const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  const isPlain =
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? hideSecrets(value as Fields) : value;
};

/** An error and its causes. Database errors carry the document that failed: that is left out. */
const describeError = (error: unknown): object => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = (error as { readonly code?: unknown }).code;
  return {
    type: name,
    message: message.replace(/dup key: .*$/s, 'dup key'),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: stack?.split('\n').slice(1, 8).join('\n'),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
};
