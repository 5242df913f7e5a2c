import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A `.cpuprofile` of V8; times in microseconds of the monotonic clock. */
export interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  /** The node at each sample. */
  readonly samples: readonly number[];
  /** From the sample before, or from the start. */
  readonly timeDeltas: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Time spent in a function, or in a folder or package. */
export interface Cost {
  readonly name: string;
  readonly ms: number;
}

export interface ProfileSummary {
  readonly areas: readonly Cost[];
  readonly functions: readonly Cost[];
}

const IDLE = '(idle)';

/** The time from `from` to `to` (µs) by folder and package, and by function; most expensive first. */
export const summariseProfile = (
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  { from, to }: { readonly from: number; readonly to: number },
  root: string,
): ProfileSummary => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const fileOf = fileFinder(root);
  const [areas, functions] = [new Map<string, number>(), new Map<string, number>()];
  let now = startTime;
  samples.forEach((id, index) => {
    now += timeDeltas[index] ?? 0;
    const frame = frames.get(id);
    if (!frame || frame.functionName === IDLE || now < from || now > to) return;
    const ms = (timeDeltas[index + 1] ?? 0) / 1_000;
    const file = fileOf(frame);
    const name = frame.functionName || '(anonymous)';
    add(areas, areaOf(file) || name, ms);
    add(functions, `${name} ${file}`.trim(), ms);
  });
  return { areas: costsOf(areas), functions: costsOf(functions) };
};

const add = (sums: Map<string, number>, name: string, ms: number): void =>
  void sums.set(name, (sums.get(name) ?? 0) + ms);

const costsOf = (sums: ReadonlyMap<string, number>): readonly Cost[] =>
  [...sums].map(([name, ms]) => ({ name, ms })).sort((one, other) => other.ms - one.ms);

/** The package, or the folder of a source. */
const areaOf = (file: string): string => {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  return name ?? (file.startsWith('node:') ? file : dirname(file).replace(/^\.$/, ''));
};

/** The source of a frame, such as `src/pipeline/decide.ts`, by the source maps of compiled files. */
const fileFinder = (root: string): ((frame: CallFrame) => string) => {
  const maps = new Map<string, SourceMap | undefined>();
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith('file:')) return url;
    const path = fileURLToPath(url);
    if (!maps.has(path)) maps.set(path, readMap(path));
    const entry = maps.get(path)?.findEntry(lineNumber, columnNumber);
    const source = entry && 'originalSource' in entry ? entry.originalSource : '';
    return relative(root, source ? resolve(dirname(path), source) : path);
  };
};

const readMap = (path: string): SourceMap | undefined => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
};
