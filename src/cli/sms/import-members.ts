import { z } from 'zod';
import { CommandFailure, EXIT } from '../command-failure.js';
import type { Session } from '../session.js';
import type { BadLine, CsvFile, CsvRow } from './read-csv.js';

/** As many as one request takes (decisions.md 6). */
const CHUNK = 1_000;

export interface ImportCounts {
  readonly added: number;
  readonly updated: number;
}

const Counts = z.object({ members_added: z.int(), members_updated: z.int() });

const Fault = z.object({
  message: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

const DryRun = z.object({ status: z.int(), body: z.unknown() });

const chunksOf = (rows: readonly CsvRow[]): readonly (readonly CsvRow[])[] =>
  Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) =>
    rows.slice(at * CHUNK, (at + 1) * CHUNK),
  );

const bodyOf = (rows: readonly CsvRow[]) => ({ members: rows.map(({ member }) => member) });

/** Numbers that differ in nothing but how they are set. */
const bare = (text: string): string => text.replace(/[\s().\-/]/g, '').replace(/^00/, '+');

/** The gateway sees a thousand lines at a time: what comes twice in the file is found here. */
export const findRepeated = (rows: readonly CsvRow[]): readonly BadLine[] => {
  const first = new Map<string, number>();
  return rows.flatMap(({ line, member }) => {
    const number = bare(member.phone_number);
    const earlier = first.get(number);
    if (earlier !== undefined) return [{ line, message: `is the same number as line ${earlier}` }];
    first.set(number, line);
    return [];
  });
};

const PLACE = /^members\[(\d+)\]\.?(.*)$/;

/** Which lines the gateway refused, and why; in the words of the file. */
const badLinesIn = (body: unknown, rows: readonly CsvRow[]): readonly BadLine[] => {
  const { message, details } = Fault.parse(body);
  const bad = details.flatMap(({ path, message: what }) => {
    const [, at, field = ''] = PLACE.exec(path) ?? [];
    const row = at === undefined ? undefined : rows[Number(at)];
    // The gateway tells places of its request; those of the file are other ones.
    const told = what.replace(/members\[(\d+)\]\.\w+/, (_place, other: string) => {
      const same = rows[Number(other)];
      return same ? `line ${same.line}` : 'another line';
    });
    return row ? [{ line: row.line, message: `${field} ${told}`.trim() }] : [];
  });
  if (bad.length > 0) return bad;
  throw new CommandFailure(EXIT.refused, message);
};

const withoutLines = (rows: readonly CsvRow[], bad: readonly BadLine[]): readonly CsvRow[] => {
  const lines = new Set(bad.map(({ line }) => line));
  return rows.filter(({ line }) => !lines.has(line));
};

export interface Rehearsed {
  readonly good: readonly CsvRow[];
  readonly bad: readonly BadLine[];
  readonly counts: ImportCounts;
}

interface Importing {
  readonly path: string;
  /** Called with how many lines are through. */
  readonly onProgress: (done: number) => void;
}

/** A request that is not of the right form is refused before it can be tried out. */
const refusalOfForm = (error: unknown): z.output<typeof DryRun> => {
  if (!(error instanceof CommandFailure) || error.body === undefined) throw error;
  const body: unknown = JSON.parse(error.body);
  if (!Fault.extend({ error: z.literal('INVALID_REQUEST') }).safeParse(body).success) throw error;
  return { status: 400, body };
};

/** One request tells a hundred bad lines at most: they are left out, and the rest is asked again. */
const rehearseChunk = async (
  { client, read }: Session,
  path: string,
  rows: readonly CsvRow[],
): Promise<Rehearsed> => {
  const bad: BadLine[] = [];
  let good = rows;
  while (good.length > 0) {
    const asked = { query: { dry_run: 'true' }, body: bodyOf(good) };
    const { status, body } = await client
      .request('POST', path, asked)
      .then((answer) => read(DryRun, answer), refusalOfForm);
    if (status === 200) {
      const { members_added, members_updated } = Counts.parse(body);
      return { good, bad, counts: { added: members_added, updated: members_updated } };
    }
    const found = badLinesIn(body, good);
    bad.push(...found);
    good = withoutLines(good, found);
  }
  return { good, bad, counts: { added: 0, updated: 0 } };
};

/** What an import would come to, without doing it. */
export const rehearseImport = async (
  session: Session,
  { rows, bad: malformed }: CsvFile,
  { path, onProgress }: Importing,
): Promise<Rehearsed> => {
  const repeated = findRepeated(rows);
  const results: Rehearsed[] = [];
  let done = 0;
  for (const chunk of chunksOf(withoutLines(rows, repeated))) {
    results.push(await rehearseChunk(session, path, chunk));
    onProgress((done += chunk.length));
  }
  return {
    good: results.flatMap(({ good }) => good),
    bad: [...malformed, ...repeated, ...results.flatMap(({ bad }) => bad)].sort(
      (one, other) => one.line - other.line,
    ),
    counts: sumOf(results.map(({ counts }) => counts)),
  };
};

const sumOf = (all: readonly ImportCounts[]): ImportCounts =>
  all.reduce(
    (sum, { added, updated }) => ({ added: sum.added + added, updated: sum.updated + updated }),
    { added: 0, updated: 0 },
  );

/** A thousand lines a request. Done again after it was cut short, it changes what is left. */
export const importMembers = async (
  { client, read }: Session,
  rows: readonly CsvRow[],
  { path, onProgress }: Importing,
): Promise<ImportCounts> => {
  const counts: ImportCounts[] = [];
  let done = 0;
  for (const chunk of chunksOf(rows)) {
    const answer = await client.request('POST', path, { body: bodyOf(chunk) });
    const { members_added, members_updated } = read(Counts, answer);
    counts.push({ added: members_added, updated: members_updated });
    onProgress((done += chunk.length));
  }
  return sumOf(counts);
};
