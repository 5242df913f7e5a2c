import pino, { type DestinationStream, type Logger } from 'pino';

/** Whatever these fields hold, wherever they stand in a line, is not shown. */
const SECRET_FIELDS = [
  'authorization',
  'token',
  'adminToken',
  'key',
  'secret',
  'password',
  'cookie',
  'phone_number',
  'phoneNumbers',
];

/**
 * The log: one JSON object a line, on standard output where no other place is given. Nobody hands
 * it bodies or secrets; that known names are hidden all the same is a second lock on the door.
 */
export const createLogger = (level: string, to: DestinationStream = pino.destination(1)): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '(hidden)',
      },
    },
    to,
  );

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
