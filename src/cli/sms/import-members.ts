import { z } from 'zod';
import { CliError, EXIT } from '../cli-error.js';
import type { Session } from '../session.js';
import type { BadLine, CsvFile, CsvRow } from './read-csv.js';

/** The maximum of one request (decisions.md 6). */
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

/** The number without its formatting. */
const withoutFormat = (text: string): string => text.replace(/[\s().\-/]/g, '').replace(/^00/, '+');

/** Requests hold a thousand lines each, so duplicates across requests are found here. */
const findDuplicates = (rows: readonly CsvRow[]): readonly BadLine[] => {
  const first = new Map<string, number>();
  return rows.flatMap(({ line, member }) => {
    const number = withoutFormat(member.phone_number);
    const earlier = first.get(number);
    if (earlier !== undefined) return [{ line, message: `same number as line ${earlier}` }];
    first.set(number, line);
    return [];
  });
};

const PLACE = /^members\[(\d+)\]\.?(.*)$/;

/** The lines that the gateway refused, with line numbers of the file. */
const badLinesIn = (body: unknown, rows: readonly CsvRow[]): readonly BadLine[] => {
  const { message, details } = Fault.parse(body);
  const bad = details.flatMap(({ path, message: what }) => {
    const [, at, field = ''] = PLACE.exec(path) ?? [];
    const row = at === undefined ? undefined : rows[Number(at)];
    // The gateway's message names positions in the request.
    const text = what.replace(/members\[(\d+)\]\.\w+/, (_place, other: string) => {
      const same = rows[Number(other)];
      return same ? `line ${same.line}` : 'another line';
    });
    return row ? [{ line: row.line, message: `${field} ${text}`.trim() }] : [];
  });
  if (bad.length > 0) return bad;
  throw new CliError(EXIT.refused, message);
};

const withoutLines = (rows: readonly CsvRow[], bad: readonly BadLine[]): readonly CsvRow[] => {
  const lines = new Set(bad.map(({ line }) => line));
  return rows.filter(({ line }) => !lines.has(line));
};

export interface CheckedImport {
  readonly good: readonly CsvRow[];
  readonly bad: readonly BadLine[];
  readonly counts: ImportCounts;
}

interface ImportOptions {
  readonly path: string;
  /** Called with the number of lines processed. */
  readonly onProgress: (done: number) => void;
}

/** A malformed request is refused with 400 even as a dry run. */
const validationRefusal = (error: unknown): z.output<typeof DryRun> => {
  if (!(error instanceof CliError) || error.body === undefined) throw error;
  const body: unknown = JSON.parse(error.body);
  if (!Fault.extend({ error: z.literal('INVALID_REQUEST') }).safeParse(body).success) throw error;
  return { status: 400, body };
};

/** A response lists a hundred invalid lines at most: drop them and check the rest again. */
const checkChunk = async (
  { client, read }: Session,
  path: string,
  rows: readonly CsvRow[],
): Promise<CheckedImport> => {
  const bad: BadLine[] = [];
  let good = rows;
  while (good.length > 0) {
    const parts = { query: { dry_run: 'true' }, body: bodyOf(good) };
    const { status, body } = await client
      .request('POST', path, parts)
      .then((response) => read(DryRun, response), validationRefusal);
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

/** Checks all lines by dry runs, and counts what an import would change. */
export const checkImport = async (
  session: Session,
  { rows, bad: malformed }: CsvFile,
  { path, onProgress }: ImportOptions,
): Promise<CheckedImport> => {
  const duplicates = findDuplicates(rows);
  const results: CheckedImport[] = [];
  let done = 0;
  for (const chunk of chunksOf(withoutLines(rows, duplicates))) {
    results.push(await checkChunk(session, path, chunk));
    onProgress((done += chunk.length));
  }
  return {
    good: results.flatMap(({ good }) => good),
    bad: [...malformed, ...duplicates, ...results.flatMap(({ bad }) => bad)].sort(
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

/** Imports a thousand lines per request; can be repeated after an interruption. */
export const importMembers = async (
  { client, read }: Session,
  rows: readonly CsvRow[],
  { path, onProgress }: ImportOptions,
): Promise<ImportCounts> => {
  const counts: ImportCounts[] = [];
  let done = 0;
  for (const chunk of chunksOf(rows)) {
    const response = await client.request('POST', path, { body: bodyOf(chunk) });
    const { members_added, members_updated } = read(Counts, response);
    counts.push({ added: members_added, updated: members_updated });
    onProgress((done += chunk.length));
  }
  return sumOf(counts);
};
