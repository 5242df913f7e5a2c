/** Writes one line: structured fields and a constant message. */
type LogLine = (fields: object, message: string) => void;

/**
 * A part of pino's interface, so that only compose.ts depends on the logger. Never log bodies, keys,
 * e-mail addresses or phone numbers.
 */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  /** A log that adds these fields to each line. */
  readonly child: (fields: object) => Log;
}
