import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallFrame } from './cpu-profile.js';

export interface FrameLocation {
  /** `src/pipeline/decide.ts:41`, `mongodb/lib/cmap/connection.js:312`, `node:net:780`, or empty. */
  readonly file: string;
  /** The folder, the package or the part of Node.js. */
  readonly area: string;
}

/** Finds the source location of frames, using source maps for compiled files. */
export const frameLocations = (root: string): ((frame: CallFrame) => FrameLocation) => {
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

const outside = (url: string, name: string, line: number): FrameLocation =>
  url === ''
    ? { file: '', area: name.startsWith('(') ? name : '(native)' }
    : { file: `${url}:${line + 1}`, area: url };

const packaged = (path: string, line: number): FrameLocation => {
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
  // Bundled packages have no maps.
  if (!entry || !('originalSource' in entry) || !entry.originalSource)
    return `${relative(root, path)}:${lineNumber + 1}`;
  const source = entry.originalSource.startsWith('file:')
    ? fileURLToPath(entry.originalSource)
    : resolve(dirname(path), entry.originalSource);
  return `${relative(root, source)}:${entry.originalLine + 1}`;
};
