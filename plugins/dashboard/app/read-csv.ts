/** Splits CSV into rows of cells: quotes, and commas, semicolons or tabs, whichever comes first. */
const splitCsv = (text: string): readonly { readonly line: number; readonly cells: string[] }[] => {
  const [head = ''] = text.split('\n', 1);
  const separator = /[,;\t]/.exec(head.replaceAll(/"[^"]*"/g, ''))?.[0] ?? ',';
  const rows: { line: number; cells: string[] }[] = [];
  let [cell, isQuoted, line] = ['', false, 1];
  let row = { line, cells: [] as string[] };
  const endRow = () => {
    row.cells.push(cell.trim());
    if (row.cells.some((value) => value !== '')) rows.push(row);
    cell = '';
    row = { line: line + 1, cells: [] };
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (isQuoted && char === '"' && text.charAt(at + 1) === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && (isQuoted || cell.trim() === '')) isQuoted = !isQuoted;
    else if (!isQuoted && char === separator) {
      row.cells.push(cell.trim());
      cell = '';
    } else if (!isQuoted && char === '\n') endRow();
    else if (char !== '\r') cell += char;
    if (char === '\n') line += 1;
  }
  endRow();
  return rows;
};

/** A row of an import. */
export interface ImportedRow {
  /** In the file, from 1. */
  readonly line: number;
  readonly phone_number: string;
  readonly display_name: string | null;
  readonly valid_from: string | null;
  readonly valid_until: string | null;
}

type Field = Exclude<keyof ImportedRow, 'line'>;

const TITLES: Readonly<Record<Field, RegExp>> = {
  phone_number: /^(phone|mobile|number|msisdn|cell|tel)/i,
  display_name: /^(display.?name|full.?name|name)$/i,
  valid_from: /^(valid.?)?(from|start)$/i,
  valid_until: /^(valid.?)?(until|to|end)$/i,
};

/** What the gateway takes as a time; else the text as it is, so that it says what is wrong. */
const timeIn = (text: string): string | null => {
  if (text === '') return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

export interface ImportedFile {
  readonly rows: readonly ImportedRow[];
  /** Columns that are used. */
  readonly fields: readonly Field[];
}

/** Rows with a number each. Without a line of titles, the first columns are number and name. */
export const readRows = (text: string): ImportedFile => {
  const lines = splitCsv(text.replace(/^\uFEFF/, ''));
  const [first] = lines;
  const found = (Object.keys(TITLES) as Field[]).flatMap((field) => {
    const at = first?.cells.findIndex((title) => TITLES[field].test(title)) ?? -1;
    return at === -1 ? [] : [[field, at] as const];
  });
  const hasTitles = found.some(([field]) => field === 'phone_number');
  const places = new Map<Field, number>(
    hasTitles
      ? found
      : [
          ['phone_number', 0],
          ['display_name', 1],
        ],
  );
  const rows = (hasTitles ? lines.slice(1) : lines).map(({ line, cells }) => {
    const cell = (field: Field): string => cells[places.get(field) ?? -1] ?? '';
    return {
      line,
      phone_number: cell('phone_number'),
      display_name: cell('display_name') || null,
      valid_from: timeIn(cell('valid_from')),
      valid_until: timeIn(cell('valid_until')),
    };
  });
  return { rows, fields: [...places.keys()] };
};
