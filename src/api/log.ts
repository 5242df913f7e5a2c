/** Writes one line; `fields` are for machines, `message` is a fixed sentence for people. */
type LogLine = (fields: object, message: string) => void;

/**
 * The log as the edge sees it: a part of pino's interface, so that nothing but compose.ts knows
 * which logger it is. Never hand it bodies, keys, e-mails or numbers.
 */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  /** A log whose every line carries these fields too. */
  readonly child: (fields: object) => Log;
}
