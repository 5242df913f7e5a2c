import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

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

/** A stack trace with positions in our sources instead of built files: `src/start/serve.ts:20:3`. */
export const withSourcePositions = (stack: string): string =>
  stack.replace(BUILT, (position, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    // Positions in packages have no entry.
    if (!entry || !('originalSource' in entry) || !entry.originalSource) return position;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  });
