import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import type { Machine } from '../describe-machine.js';

/** What a run has measured, in words: names and values. */
export type Figures = Readonly<Record<string, string>>;

/** The last long run of a program. */
export interface LongRun {
  readonly command: string;
  readonly machine: Machine;
  readonly figures: Figures;
  /** Violated guarantees. */
  readonly problems: readonly string[];
}

export type LongRuns = Readonly<Partial<Record<string, LongRun>>>;

/** By the programs' names. */
export const readLongRuns = (file: string | URL): LongRuns =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LongRuns) : {};

/** Replaces the program's last run in the file. */
export const recordLongRun = async (file: string, name: string, run: LongRun): Promise<void> => {
  const runs = JSON.stringify({ ...readLongRuns(file), [name]: run }, null, 2);
  const style = { ...(await resolveConfig(file)), parser: 'json' };
  writeFileSync(file, await format(runs, style));
};

/** In two columns. */
export const formatFigures = (figures: Figures): string => {
  const width = Math.max(...Object.keys(figures).map(({ length }) => length));
  return Object.entries(figures)
    .map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
    .join('\n');
};
