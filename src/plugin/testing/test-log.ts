import { inspect } from 'node:util';
import type { PluginLog } from '../contract/extension.js';

/** A line that an extension logged. */
export interface LogLine {
  readonly level: keyof PluginLog;
  readonly fields: object;
  readonly message: string;
}

/** A log that keeps its lines. */
export const createTestLog = (): {
  readonly lines: readonly LogLine[];
  readonly log: PluginLog;
} => {
  const lines: LogLine[] = [];
  const write = (level: keyof PluginLog) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, log };
};

/** A line as text, errors with all that hangs on them. */
export const textOfLine = ({ fields, message }: LogLine): string =>
  `${message} ${inspect(fields, { depth: 8, showHidden: true })}`;
