import { asApiError } from './api/api-error.ts';
import { gateway } from './api/gateway.ts';
import type { Schema } from './api/schema.ts';
import type { ImportedFile, ImportedRow } from './read-csv.ts';

/** Of a change of members, or of its dry run. */
type SmsChanges = Pick<Schema<'SmsUpsert'>, 'members_added' | 'members_updated'> &
  Partial<Pick<Schema<'SmsReplacement'>, 'members_removed'>>;

/** The path parameters of a list. */
export interface ListPath {
  readonly slug: string;
  readonly id: string;
}

/** `known`: some of these are on the list; how many is known, which is not. */
export type RowState = 'new' | 'changed' | 'unchanged' | 'known' | 'invalid';

export interface PreviewedRow {
  readonly row: ImportedRow;
  readonly state: RowState;
  /** Why it is invalid. */
  readonly why?: string;
}

export interface ImportPreview {
  readonly rows: readonly PreviewedRow[];
  readonly changes: SmsChanges;
}

export type ImportMode = 'add' | 'replace';

/** The most members that one request may have. */
const CHUNK = 1_000;
/** Requests that find out which rows are new. */
const MOST_QUESTIONS = 80;

const MEMBERS = '/admin/v1/tenants/{slug}/sms-lists/{id}/members';
const METHODS = { add: 'post', replace: 'put' } as const;

/** The columns of the file; what it does not have stays as it is. */
const bodyOf = (
  rows: readonly ImportedRow[],
  fields: ImportedFile['fields'],
): Schema<'SmsMembers'> => ({
  members: rows.map((row) => ({
    phone_number: row.phone_number,
    ...Object.fromEntries(fields.map((field) => [field, row[field]])),
  })),
});

const chunksOf = (
  rows: readonly ImportedRow[],
  mode: ImportMode,
): readonly (readonly ImportedRow[])[] =>
  mode === 'replace'
    ? [rows]
    : Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) =>
        rows.slice(at * CHUNK, (at + 1) * CHUNK),
      );

const sumOf = (all: readonly SmsChanges[]): SmsChanges => ({
  members_added: all.reduce((sum, { members_added: count }) => sum + count, 0),
  members_updated: all.reduce((sum, { members_updated: count }) => sum + count, 0),
  members_removed: all.reduce((sum, { members_removed: count = 0 }) => sum + count, 0),
});

type Problems = ReadonlyMap<ImportedRow, string>;

/** What a dry run says about rows: what would change, or which of them are wrong. */
const ask = async (
  path: ListPath,
  mode: ImportMode,
  rows: readonly ImportedRow[],
  fields: ImportedFile['fields'],
): Promise<SmsChanges | Problems> => {
  const options = { path, body: bodyOf(rows, fields) };
  const details = await gateway.preview(METHODS[mode], MEMBERS, options).then(
    ({ status, body }) =>
      status < 400 ? (body as SmsChanges) : ((body as Schema<'Error'>).details ?? []),
    (fault: unknown) => {
      const error = asApiError(fault);
      if (error.details.length === 0) throw error;
      return error.details;
    },
  );
  if (!('length' in details)) return details;
  const problems = new Map<ImportedRow, string>();
  for (const { path: place, message } of details) {
    const row = rows[Number(/members\[(\d+)\]|members\.(\d+)/.exec(place)?.slice(1).find(Boolean))];
    // The line of the file, not the place in the request.
    const why = message.replace(/members\[(\d+)\]\.\w+/, (_, at: string) => {
      return `line ${rows[Number(at)]?.line ?? '?'}`;
    });
    if (row) problems.set(row, why);
  }
  if (problems.size === 0) throw new Error('The gateway refused the rows without naming one.');
  return problems;
};

const isProblems = (answer: SmsChanges | Problems): answer is Problems => answer instanceof Map;

/** Which rows are invalid, new, changed or unchanged, from dry runs: nothing is changed. */
export const previewImport = async (
  path: ListPath,
  mode: ImportMode,
  { rows, fields }: ImportedFile,
): Promise<ImportPreview> => {
  const problems = new Map<ImportedRow, string>(
    rows
      .filter(({ phone_number: number }) => number === '')
      .map((row) => [row, 'has no phone number']),
  );
  const states = new Map<ImportedRow, RowState>();
  let valid = rows.filter((row) => !problems.has(row));
  let changes: SmsChanges = { members_added: 0, members_updated: 0 };
  // The gateway names some kinds of problems only once others are gone.
  for (let isClean = false; !isClean && valid.length > 0;) {
    isClean = true;
    const counts: SmsChanges[] = [];
    for (const chunk of chunksOf(valid, mode)) {
      const answer = await ask(path, mode, chunk, fields);
      if (!isProblems(answer)) counts.push(answer);
      else {
        isClean = false;
        for (const [row, why] of answer) problems.set(row, why);
      }
    }
    if (isClean) changes = sumOf(counts);
    valid = valid.filter((row) => !problems.has(row));
  }
  // Numbers of the list are masked, so halves are asked until an answer is about one kind of rows.
  let questions = 0;
  const sort = async (some: readonly ImportedRow[]): Promise<void> => {
    if (some.length === 0) return;
    questions += 1;
    const answer = questions > MOST_QUESTIONS ? undefined : await ask(path, 'add', some, fields);
    const mark = (state: RowState) => some.forEach((row) => states.set(row, state));
    if (!answer || isProblems(answer)) mark('known');
    else if (answer.members_added === some.length) mark('new');
    else if (answer.members_updated === some.length) mark('changed');
    else if (answer.members_added + answer.members_updated === 0) mark('unchanged');
    else {
      const middle = Math.ceil(some.length / 2);
      await sort(some.slice(0, middle));
      await sort(some.slice(middle));
    }
  };
  for (const chunk of chunksOf(valid, 'add')) await sort(chunk);
  return {
    changes,
    rows: rows.map((row) => {
      const why = problems.get(row);
      return why === undefined
        ? { row, state: states.get(row) ?? 'known' }
        : { row, state: 'invalid', why };
    }),
  };
};

/** Imports the rows, at most a thousand with each request. */
export const runImport = async (
  path: ListPath,
  mode: ImportMode,
  rows: readonly ImportedRow[],
  fields: ImportedFile['fields'],
): Promise<SmsChanges> => {
  const done: SmsChanges[] = [];
  for (const chunk of chunksOf(rows, mode)) {
    const options = { path, body: bodyOf(chunk, fields) };
    done.push((await gateway.request(METHODS[mode], MEMBERS, options)).data);
  }
  return sumOf(done);
};
