import type { Log } from '../../src/ports/telemetry.js';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A log that records its lines, including those of child loggers. */
export const createFakeLog = (): { readonly log: Log; readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const createLog = (bound: object): Log => {
    const at = (level: string) => (fields: object, message: string) =>
      void lines.push({ ...bound, ...fields, level, message });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => createLog({ ...bound, ...fields }),
    };
  };
  return { log: createLog({}), lines };
};
