import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { describeReadError } from '../../../config/config-error.js';
import type { CliContext } from '../cli-context.js';
import { CliError, SilentExit, usageError } from '../cli-error.js';
import type { Action } from '../resource.js';
import type { Session } from '../session.js';
import { type BadLine, type CsvFile, type CsvRow, readSmsCsv } from '../sms-csv.js';

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────

/** The maximum of one request (decisions.md 6). */
const CHUNK = 1_000;

interface ImportCounts {
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
  throw new CliError('FAILED', message);
};

const withoutLines = (rows: readonly CsvRow[], bad: readonly BadLine[]): readonly CsvRow[] => {
  const lines = new Set(bad.map(({ line }) => line));
  return rows.filter(({ line }) => !lines.has(line));
};

interface CheckedImport {
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
const checkImport = async (
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
const importMembers = async (
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

// ── The command ──────────────────────────────────────────────────────────────────────────────────

const readBytes = (file: string, { cwd }: CliContext): Uint8Array => {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    return usageError(`${describeReadError(file, error)}.`);
  }
};

/** Spreadsheets often save files in an encoding of their country. */
const readText = (file: string, context: CliContext): string => {
  const bytes = readBytes(file, context);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return usageError(`${file} is not UTF-8.`, 'In a spreadsheet, save it as "CSV UTF-8".');
  }
};

const progress =
  ({ note }: Session, done: string, total: number) =>
  (count: number): void =>
    note(`${done} ${count} of ${total} lines\n`);

const printBadLines = ({ note }: Session, bad: readonly BadLine[]): void => {
  for (const { line, message } of bad) note(`line ${line}: ${message}\n`);
};

interface ImportResult {
  readonly list: string;
  readonly lines: number;
  readonly counts: ImportCounts;
  readonly bad: readonly BadLine[];
  readonly isDryRun: boolean;
}

const printResult = (session: Session, result: ImportResult): void => {
  const { list, lines, counts, bad, isDryRun } = result;
  const { added, updated } = counts;
  const unchanged = lines - bad.length - added - updated;
  session.print({
    people: () =>
      (isDryRun
        ? `Dry run: ${added} to add, ${updated} to update`
        : `Imported: ${added} added, ${updated} updated`) +
      `, ${unchanged} unchanged, ${bad.length} invalid.\n`,
    json: JSON.stringify({
      list_id: list,
      lines,
      ...counts,
      unchanged,
      bad_lines: bad,
      dry_run: isDryRun,
    }),
  });
};

/** `rollgate sms import` */
export const importAction: Action<unknown> = {
  name: 'import',
  access: { admin: true, scope: 'api:sms_lists:write' },
  arguments: [{ name: '<file>', help: 'the CSV file' }],
  options: [
    {
      flags: '--dry-run',
      field: 'dryRun',
      help: 'show what would change and which lines are invalid, without importing',
    },
    {
      flags: '--skip-bad-lines',
      field: 'skipBadLines',
      help: 'import the valid lines even if others are invalid',
    },
  ],
  summary: 'import numbers from a CSV file',
  description:
    'Add the numbers in a CSV file to a list, or update them. The columns are phone_number ' +
    '(required), display_name, valid_from and valid_until. All lines are checked first; if any is ' +
    'invalid, nothing is imported unless --skip-bad-lines is given. Numbers that are not in the ' +
    'file stay on the list.',
  run: async ({ session, path: list, id, fields: { dryRun, skipBadLines }, args: [file = ''] }) => {
    const csv = readSmsCsv(readText(file, session.context));
    const path = `${list}/members`;
    const checked = await checkImport(session, csv, {
      path,
      onProgress: progress(session, 'Checked', csv.rows.length),
    });
    const { good, bad } = checked;
    printBadLines(session, bad);
    const result = { list: id, lines: csv.rows.length + csv.bad.length, bad };
    const isRefused = bad.length > 0 && skipBadLines !== true;
    if (dryRun === true || isRefused) {
      printResult(session, { ...result, counts: checked.counts, isDryRun: true });
      if (isRefused && dryRun !== true)
        session.note('Nothing was imported. Pass --skip-bad-lines to import the valid lines.\n');
      if (bad.length > 0) throw new SilentExit();
      return 'printed';
    }
    const onProgress = progress(session, 'Imported', good.length);
    const counts = await importMembers(session, good, { path, onProgress });
    printResult(session, { ...result, counts, isDryRun: false });
    return 'printed';
  },
  examples: [
    ['rollgate sms import acme "Night shift" roster.csv --dry-run', 'check the file'],
    ['rollgate sms import acme "Night shift" roster.csv', 'import the file'],
  ],
};
