import { splitCsv, withoutGuard } from 'rollgate/client';
import type { Schema } from './api/schema.ts';

type Member = Schema<'SmsMembers'>['members'][number];

/** A row of an import. */
export interface ImportedRow {
  /** In the file, from 1. */
  readonly line: number;
  /** Fields without a column are absent, so that they stay as they are. */
  readonly member: Member;
}

/** What the gateway takes as a time; else the text as it is, so that it says what is wrong. */
const timeIn = (text: string): string | null => {
  if (text === '') return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

/** `rollgate sms export` puts an apostrophe before formulas. */
const nameIn = (text: string): string | null => withoutGuard(text) || null;

interface ImportedColumn {
  readonly field: keyof Member;
  readonly title: RegExp;
  readonly valueOf: (cell: string) => string | null;
}

const NUMBER: ImportedColumn = {
  field: 'phone_number',
  title: /^(phone|mobile|number|msisdn|cell|tel)/i,
  valueOf: (cell) => cell,
};
const NAME: ImportedColumn = {
  field: 'display_name',
  title: /^(display.?name|full.?name|name)$/i,
  valueOf: nameIn,
};
const COLUMNS: readonly ImportedColumn[] = [
  NUMBER,
  NAME,
  { field: 'valid_from', title: /^(valid.?)?(from|start)$/i, valueOf: timeIn },
  { field: 'valid_until', title: /^(valid.?)?(until|to|end)$/i, valueOf: timeIn },
];

/** Rows with a number each. Without a line of titles, the first columns are number and name. */
export const readRows = (text: string): readonly ImportedRow[] => {
  const lines = splitCsv(text.replace(/^\uFEFF/, ''));
  const titles = lines[0]?.cells ?? [];
  const placeOf = ({ title }: ImportedColumn): number =>
    titles.findIndex((cell) => title.test(cell));
  const hasTitles = placeOf(NUMBER) !== -1;
  const places = hasTitles
    ? COLUMNS.map((column) => [column, placeOf(column)] as const).filter(([, at]) => at !== -1)
    : [NUMBER, NAME].map((column, at) => [column, at] as const);
  return (hasTitles ? lines.slice(1) : lines).map(({ line, cells }) => ({
    line,
    member: Object.fromEntries(
      places.map(([{ field, valueOf }, at]) => [field, valueOf(cells[at] ?? '')]),
    ) as Member,
  }));
};
