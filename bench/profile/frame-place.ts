import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallFrame } from './cpu-profile.js';

export interface FramePlace {
  /** `src/pipeline/decide.ts:41`, `mongodb/lib/cmap/connection.js:312`, `node:net:780`, or nothing. */
  readonly file: string;
  /** The folder, package or part of Node that it belongs to. */
  readonly area: string;
}

/** Tells where frames are, our own compiled ones by their source. */
export const framePlaces = (root: string): ((frame: CallFrame) => FramePlace) => {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (path: string): SourceMap | undefined => {
    if (!maps.has(path)) maps.set(path, readMap(path));
    return maps.get(path);
  };

  return (frame) => {
    const { url, functionName, lineNumber } = frame;
    if (!url.startsWith('file:')) return outside(url, functionName, lineNumber);
    const path = fileURLToPath(url);
    const [, inPackage] = /.*\/node_modules\/((?!\.cache).*)/.exec(path) ?? [];
    if (inPackage !== undefined) return packaged(inPackage, lineNumber);
    const file = sourceOf(mapOf(path), path, frame, root);
    return { file, area: dirname(file) };
  };
};

const outside = (url: string, name: string, line: number): FramePlace =>
  url === ''
    ? { file: '', area: name.startsWith('(') ? name : '(native)' }
    : { file: `${url}:${line + 1}`, area: url };

const packaged = (path: string, line: number): FramePlace => {
  const [first = '', second = ''] = path.split('/');
  return {
    file: `${path}:${line + 1}`,
    area: first.startsWith('@') ? `${first}/${second}` : first,
  };
};

const readMap = (path: string): SourceMap | undefined => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
};

const sourceOf = (
  map: SourceMap | undefined,
  path: string,
  { lineNumber, columnNumber }: CallFrame,
  root: string,
): string => {
  const entry = map?.findEntry(lineNumber, columnNumber);
  if (!entry || !('originalSource' in entry)) return `${relative(root, path)}:${lineNumber + 1}`;
  const source = entry.originalSource.startsWith('file:')
    ? fileURLToPath(entry.originalSource)
    : resolve(dirname(path), entry.originalSource);
  return `${relative(root, source)}:${entry.originalLine + 1}`;
};
