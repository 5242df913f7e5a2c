import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { separatorOf, splitCsv, withoutGuard } from '../../client/csv.js';
import type { SmsMemberCounts, SmsMemberInput } from '../../domain/commands.js';
import { raise, RefusalError } from '../../domain/kernel/refusals.js';
import { WINDOW_ERROR } from '../../domain/sms/sms-list-rules.js';
import { toE164 } from '../../sms/phone-numbers.js';
import { parseWith } from '../routing/validate.js';
import {
  CHUNK_SIZE,
  messageFor,
  NewSmsMember,
  type NumberContext,
  sealMember,
  SmsReplacement,
} from './sms-bodies.js';

type Column = keyof NewSmsMember;

/** The columns of a file by the titles that people give them. */
const TITLES: Readonly<Record<Column, RegExp>> = {
  phone_number: /^(phone|mobile|number|msisdn|cell|tel)/i,
  display_name: /^(display.?name|full.?name|name)$/i,
  valid_from: /^(valid.?)?(from|start)$/i,
  valid_until: /^(valid.?)?(until|to|end)$/i,
};
const COLUMNS = Object.keys(TITLES) as readonly Column[];
const ALLOWED = `Columns: ${COLUMNS.join(', ')}. phone_number is required.`;

/** As many members as fit into the largest body. */
const MAX_LINES = 100_000;
/** In characters; no member has this much. */
const MAX_LINE = 4_096;

const refuseFile = (message: string): never => raise('INVALID_REQUEST', message);

/** No title has one. */
const NUMBER = /\d{4}/;

/** The columns that the first line names; undefined if it is a member. */
const columnsNamedIn = (cells: readonly string[]): readonly Column[] | undefined => {
  if (cells.some((cell) => NUMBER.test(cell))) return undefined;
  const named = cells.map((cell) => COLUMNS.find((column) => TITLES[column].test(cell)));
  if (named.every((column) => column === undefined)) return undefined;
  const columns = named.filter((column) => column !== undefined);
  const unknown = cells.find((_, at) => named[at] === undefined);
  if (unknown !== undefined) refuseFile(`The file has a column that is not known. ${ALLOWED}`);
  if (new Set(columns).size < columns.length)
    refuseFile(`The file has the same column twice. ${ALLOWED}`);
  if (!columns.includes('phone_number')) refuseFile(`The file has no phone numbers. ${ALLOWED}`);
  return columns;
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** `rollgate sms export` puts an apostrophe before formulas. */
const valueOf = (column: Column, cell: string): string | null => {
  if (column === 'phone_number') return withoutGuard(cell);
  if (cell === '') return null;
  if (column === 'display_name') return withoutGuard(cell);
  return DATE.test(cell) ? `${cell}T00:00:00Z` : cell;
};

/** A line of the file; the fault does not quote it. */
type ReadLine = { readonly line: number } & (
  { readonly fault: string } | { readonly member: SmsMemberInput }
);

const readMember = (
  given: object,
): { readonly member: NewSmsMember } | { readonly fault: string } => {
  try {
    return { member: parseWith(NewSmsMember, 'body', given) };
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    const [detail] = error.refusal.details ?? [];
    return { fault: `${detail?.path} ${detail?.message}` };
  }
};

const createLineReader = (context: NumberContext) => {
  const seen = new Map<string, number>();
  return (line: number, cells: readonly string[], columns: readonly Column[]): ReadLine => {
    if (cells.length !== columns.length)
      return { line, fault: 'number of cells differs from the header' };
    const given = columns.map((column, at) => [column, valueOf(column, cells[at] ?? '')]);
    const read = readMember(Object.fromEntries(given) as object);
    if ('fault' in read) return { line, ...read };
    const number = toE164(read.member.phone_number, context.tenant.defaultCountry);
    if (number === undefined) return { line, fault: `phone_number ${messageFor(context.tenant)}` };
    const earlier = seen.get(number);
    if (earlier !== undefined) return { line, fault: `same number as line ${earlier}` };
    seen.set(number, line);
    return { line, member: sealMember(read.member, number, context) };
  };
};

/** The cells of each line that has any; no cell of a member has a line break. */
const cellsOf = function* (text: string) {
  const lines = text.split('\n', MAX_LINES + 2);
  if (lines.length > MAX_LINES + 1)
    refuseFile(`The file has more than ${MAX_LINES} lines. Split it.`);
  if (lines.some(({ length }) => length > MAX_LINE))
    refuseFile(`The file has a line of more than ${MAX_LINE} characters.`);
  const separator = separatorOf(text);
  for (const [at, line] of lines.entries()) {
    const [row] = splitCsv(line, separator);
    if (row?.isCut) refuseFile(`Line ${at + 1} of the file ends within a quote.`);
    if (row) yield [at + 1, row.cells] as const;
  }
};

/** Reads a CSV file of members. Throws a RefusalError if it is not one. */
export const readImport = async (
  text: string,
  context: NumberContext,
): Promise<readonly ReadLine[]> => {
  const readLine = createLineReader(context);
  const lines: ReadLine[] = [];
  let columns: readonly Column[] | undefined;
  for (const [line, cells] of cellsOf(text)) {
    if (line % CHUNK_SIZE === 0) await yieldToEventLoop();
    if (!columns) {
      columns = columnsNamedIn(cells);
      if (columns) continue;
      columns = COLUMNS.slice(0, cells.length);
    }
    lines.push(readLine(line, cells, columns));
  }
  return columns ? lines : refuseFile('The file is empty.');
};

export const SmsImport = SmsReplacement.omit({ results: true })
  .extend({
    lines: z.array(
      z.strictObject({
        line: z.int().min(1).describe('In the file, from 1.'),
        result: z.enum(['added', 'updated', 'unchanged', 'invalid']),
        message: z.string().optional().describe('Why the line is invalid.'),
      }),
    ),
  })
  .meta({
    id: 'SmsImport',
    examples: [
      {
        list_id: '8d0f2b1c-4a5e-4f6d-9c7b-2e1d0c9b8a7f',
        members_added: 1,
        members_updated: 0,
        members_removed: 0,
        lines: [
          { line: 2, result: 'added' },
          { line: 3, result: 'invalid', message: 'same number as line 2' },
        ],
      },
    ],
  });

export const presentImport = (
  listId: string,
  lines: readonly ReadLine[],
  { added, updated, removed, results = [] }: SmsMemberCounts,
): z.output<typeof SmsImport> => {
  const ofMembers = results.values();
  return {
    list_id: listId,
    members_added: added,
    members_updated: updated,
    members_removed: removed,
    lines: lines.map((read) => {
      const { line } = read;
      if ('fault' in read) return { line, result: 'invalid', message: read.fault };
      const result = ofMembers.next().value ?? 'unchanged';
      return result === 'invalid'
        ? { line, result, message: `valid_until ${WINDOW_ERROR}` }
        : { line, result };
    }),
  };
};
