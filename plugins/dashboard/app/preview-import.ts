import { asApiError } from './api/api-error.ts';
import { gateway } from './api/gateway.ts';
import type { Schema } from './api/schema.ts';
import type { ImportedRow } from './read-csv.ts';

/** Of a change of members, or of its dry run. */
type SmsChanges = Omit<Schema<'SmsUpsert'>, 'list_id'> &
  Partial<Pick<Schema<'SmsReplacement'>, 'members_removed'>>;

/** The path parameters of a list. */
export interface ListPath {
  readonly slug: string;
  readonly id: string;
}

type RowResult = NonNullable<Schema<'SmsUpsert'>['results']>[number];

export type RowState = RowResult | 'invalid';

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

const MEMBERS = '/admin/v1/tenants/{slug}/sms-lists/{id}/members';
const METHODS = { add: 'post', replace: 'put' } as const;

const bodyOf = (rows: readonly ImportedRow[]): Schema<'SmsMembers'> => ({
  members: rows.map(({ member }) => member),
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

const NO_CHANGES: SmsChanges = { members_added: 0, members_updated: 0 };

const sumOf = (all: readonly SmsChanges[]): SmsChanges => ({
  members_added: all.reduce((sum, { members_added: count }) => sum + count, 0),
  members_updated: all.reduce((sum, { members_updated: count }) => sum + count, 0),
  members_removed: all.reduce((sum, { members_removed: count = 0 }) => sum + count, 0),
});

/** Why rows are invalid, from the details of a refusal. */
const invalidIn = (
  details: Schema<'Error'>['details'] = [],
  rows: readonly ImportedRow[],
): readonly PreviewedRow[] => {
  const found = new Map<ImportedRow, PreviewedRow>();
  for (const { path: place, message } of details) {
    const row = rows[Number(/^members\[(\d+)\]/.exec(place)?.[1])];
    // The line of the file, not the place in the request.
    const why = message.replace(
      /members\[(\d+)\]\.\w+/,
      (_, at: string) => `line ${rows[Number(at)]?.line ?? '?'}`,
    );
    if (row) found.set(row, { row, state: 'invalid', why });
  }
  if (found.size === 0) throw new Error('The gateway refused the rows without naming one.');
  return [...found.values()];
};

/** A refusal lists a hundred problems of one kind at most: drop these rows and check the others. */
const checkRows = async (
  path: ListPath,
  mode: ImportMode,
  rows: readonly ImportedRow[],
): Promise<ImportPreview> => {
  const invalid: PreviewedRow[] = [];
  let rest = rows;
  while (rest.length > 0) {
    const options = { path, query: { results: true }, body: bodyOf(rest) };
    const { status, body } = await gateway
      .preview(METHODS[mode], MEMBERS, options)
      .catch((fault: unknown) => {
        const error = asApiError(fault);
        if (error.details.length === 0) throw error;
        return { status: 400, body: error };
      });
    if (status < 400) {
      const changes = body as SmsChanges;
      const valid = rest.flatMap((row, at) => {
        const state = changes.results?.[at];
        return state ? [{ row, state }] : [];
      });
      return { changes, rows: [...invalid, ...valid] };
    }
    const found = invalidIn((body as Schema<'Error'>).details, rest);
    invalid.push(...found);
    rest = rest.filter((row) => !found.some((other) => other.row === row));
  }
  return { changes: NO_CHANGES, rows: invalid };
};

/** Which rows are invalid, added, updated or unchanged, from dry runs: nothing is changed. */
export const previewImport = async (
  path: ListPath,
  mode: ImportMode,
  rows: readonly ImportedRow[],
): Promise<ImportPreview> => {
  const previews: ImportPreview[] = [];
  for (const chunk of chunksOf(rows, mode)) previews.push(await checkRows(path, mode, chunk));
  return {
    changes: sumOf(previews.map(({ changes }) => changes)),
    rows: previews.flatMap((preview) => preview.rows),
  };
};

/** Imports the rows, at most a thousand with each request. */
export const runImport = async (
  path: ListPath,
  mode: ImportMode,
  rows: readonly ImportedRow[],
): Promise<SmsChanges> => {
  const done: SmsChanges[] = [];
  for (const chunk of chunksOf(rows, mode)) {
    const options = { path, body: bodyOf(chunk) };
    done.push((await gateway.request(METHODS[mode], MEMBERS, options)).data);
  }
  return sumOf(done);
};
