import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { createByteDecoder, SourceError } from '../../src/plugin/api.js';
import type { CsvSettings } from './settings.js';

/** A line of a file after its header. */
export interface Row {
  /** From 1. */
  readonly number: number;
  readonly line: number;
  /** One for each column of the header. */
  readonly cells: readonly string[];
  /** Why the line cannot be used. */
  readonly fault: string | undefined;
}

/** A file that is open for reading. */
export interface Table {
  /** Without any name: the file is empty. */
  readonly header: readonly string[];
  /** Throws a SourceError if the file turns out to be cut or broken. */
  readonly rows: AsyncIterable<Row>;
}

/** How a file is written. */
export type TableSettings = Pick<CsvSettings, 'encoding' | 'delimiter' | 'trailer' | 'lastLine'>;

/** In characters. No person has this much; an unbalanced quote has. */
const MAX_RECORD = 262_144;
/** With its delimiters and quotes, which the parser does not count. */
const MAX_RAW_RECORD = 2 * MAX_RECORD;
/** In characters. */
const MAX_HEADER = 65_536;
const MAX_COLUMNS = 2_000;
const CANDIDATES = [',', ';', '\t', '|'];

/** Opens CSV text (RFC 4180, with other delimiters, and quotes as they are in values without quotes). */
export const openTable = async (
  bytes: AsyncIterable<Uint8Array>,
  settings: TableSettings,
): Promise<Table> => {
  const text = decode(inPieces(bytes), settings)[Symbol.asyncIterator]();
  const { head, isWhole } = await readFirstLine(text);
  // Excel's own line.
  const separator = /^\s*"?sep=([^\r\n])/i.exec(head)?.[1];
  const delimiter = separator ?? settings.delimiter ?? mostFrequent(head);
  const ending = { last: '' };
  const parser = parse({
    delimiter,
    record_delimiter: lineEndsOf(head),
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    raw: true,
    max_record_size: MAX_RECORD,
  });
  const finished = (): number => parser.info.records + parser.info.empty_lines;
  const whole = join(head, isWhole ? undefined : text, ending);
  const source = Readable.from(boundRecords(whole, finished), { highWaterMark: 1 });
  source.once('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const parsed = translateFaults(parser as AsyncIterable<Parsed>, source)[Symbol.asyncIterator]();
  if (separator !== undefined) await parsed.next();
  const header = await readHeader(parsed);
  return { header, rows: checkedRows(parsed, header, { settings, delimiter, ending }) };
};

const readHeader = async (parsed: AsyncIterator<Parsed, undefined>): Promise<readonly string[]> => {
  for (;;) {
    const { done, value } = await parsed.next();
    if (done === true) return [];
    if (isBlank(value.record)) continue;
    const fault = quoteFault(value);
    if (fault !== undefined) throw new SourceError('schema', `${fault} Export the file again.`);
    const header = value.record.map((name) => name.trim());
    requireSize(header);
    return header;
  }
};

/** Excel exports the empty rows of a table that was longer once. */
const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Thousands of short lines fit into one. */
const PIECE = 16_384;

/** Parses run to the end of what they are given, so other work gets its turn after each piece. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += PIECE) {
      yield chunk.subarray(at, at + PIECE);
      await setImmediate();
    }
}

async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  { encoding }: TableSettings,
): AsyncGenerator<string, undefined> {
  const decoder = createByteDecoder({
    ...(encoding !== 'auto' && { charset: encoding }),
    broken: (why) =>
      new SourceError(
        'schema',
        `The file ${why}. If it is complete, set \`encoding\`, for example to windows-1252.`,
      ),
  });
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) refuseOtherFormats(chunk, encoding);
    isFirst = false;
    yield decoder.decode(chunk);
  }
  yield decoder.end();
  return undefined;
}

/** By their first bytes. */
const OTHER_FORMATS: readonly [start: string, name: string][] = [
  ['504b0304', 'a zip archive or an Excel workbook (.xlsx)'],
  ['1f8b', 'compressed with gzip'],
  ['d0cf11e0', 'an Excel workbook (.xls)'],
];

const refuseOtherFormats = (bytes: Uint8Array, encoding: TableSettings['encoding']): void => {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const [, format] = OTHER_FORMATS.find(([signature]) => start.startsWith(signature)) ?? [];
  if (format !== undefined)
    throw new SourceError('schema', `The file is ${format}, not CSV text. Export it as CSV.`);
  const zero = bytes.subarray(0, 2).indexOf(0);
  if (encoding === 'auto' && zero >= 0)
    throw new SourceError(
      'schema',
      'The file is in UTF-16 without a byte order mark. Set `encoding: ' +
        `utf-16${zero === 1 ? 'le' : 'be'}\`.`,
    );
};

interface Parsed {
  readonly record: readonly string[];
  readonly raw: string;
  readonly info: { readonly lines: number };
}

interface Head {
  readonly head: string;
  readonly isWhole: boolean;
}

/** Reads until there is a whole line. */
const readFirstLine = async (text: AsyncIterator<string, undefined>): Promise<Head> => {
  let head = '';
  for (;;) {
    const { done, value } = await text.next();
    if (done === true) return { head, isWhole: true };
    head += value;
    if (/[^\s](\n|\r[^])/.test(head)) return { head, isWhole: false };
    if (head.length > MAX_HEADER) throw longHeader();
  }
};

const withoutQuoted = (text: string): string => text.trimStart().replace(/"[^"]*"/g, '');

/** A header by another program than the rows may end in CRLF, and the rows in LF. */
const lineEndsOf = (head: string): string[] =>
  /^[^\r\n]*\r(?!\n)/.test(withoutQuoted(head)) ? ['\r'] : ['\r\n', '\n'];

/** The delimiter of which the first line has most, outside of quotes. */
const mostFrequent = (text: string): string => {
  const [line = ''] = withoutQuoted(text).split(/[\r\n]/);
  const count = (candidate: string): number => line.split(candidate).length;
  return CANDIDATES.reduce((best, other) => (count(other) > count(best) ? other : best));
};

async function* join(
  head: string,
  rest: AsyncIterator<string, undefined> | undefined,
  ending: { last: string },
): AsyncGenerator<string> {
  ending.last = head.at(-1) ?? '';
  yield head;
  while (rest) {
    const { done, value } = await rest.next();
    if (done === true) return;
    if (value === '') continue;
    ending.last = value.at(-1) ?? '';
    yield value;
  }
}

/** Fails if a record does not end, however much text is given. */
async function* boundRecords(
  text: AsyncIterable<string>,
  finished: () => number,
): AsyncGenerator<string> {
  let before = 0;
  let unfinished = 0;
  for await (const piece of text) {
    const now = finished();
    unfinished = piece.length + (now === before ? unfinished : 0);
    before = now;
    if (unfinished > MAX_RAW_RECORD) throw longRecord('');
    yield piece;
  }
}

async function* translateFaults(
  parser: AsyncIterable<Parsed>,
  source: Readable,
): AsyncGenerator<Parsed, undefined> {
  try {
    yield* parser;
  } catch (error) {
    throw error instanceof CsvError ? describeCsvFault(error) : error;
  } finally {
    source.destroy();
  }
  return undefined;
}

const describeCsvFault = (error: CsvError): SourceError => {
  const line = (error as { lines?: number }).lines ?? 0;
  const place = line > 0 ? `, near line ${line}` : '';
  if (error.code === 'CSV_MAX_RECORD_SIZE') return longRecord(place);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new SourceError(
      'schema',
      `A quote is opened and never closed${place}: the file is cut or broken. Export it again.`,
    );
  return new SourceError('schema', `The file is not valid CSV${place} (${error.code}).`);
};

/**
 * Why a line with a quote in a quoted value cannot be used, such as `"Robert "Bob""`: where the value ends
 * is a guess. The parser leaves the opening quote in such a value. Throws if other lines may be in it.
 */
const quoteFault = ({ record, raw, info }: Parsed): string | undefined => {
  const broken = record.find(
    (cell) => cell.startsWith('"') && !raw.includes(`"${cell.replaceAll('"', '""')}"`),
  );
  if (broken === undefined) return undefined;
  const fault = `Line ${info.lines} has a quote in a quoted value, where it must be doubled.`;
  if (/[\r\n]/.test(broken))
    throw new SourceError(
      'schema',
      `${fault} The value began on an earlier line, and other people may be in it. Export the file again.`,
    );
  return fault;
};

const longRecord = (place: string): SourceError =>
  new SourceError(
    'schema',
    `A record is longer than ${MAX_RECORD / 1_024} KiB${place}; usually, a quote is opened and ` +
      'never closed. Export the file again.',
  );

const longHeader = (): SourceError =>
  new SourceError(
    'schema',
    `The header line is longer than ${MAX_HEADER / 1_024} KiB: this is no CSV file.`,
  );

/** A header with quotes may continue over several lines. */
const requireSize = (header: readonly string[]): void => {
  if (header.length > MAX_COLUMNS)
    throw new SourceError(
      'schema',
      `The header has ${header.length} columns; at most ${MAX_COLUMNS} are allowed.`,
    );
  if (header.reduce((length, name) => length + name.length, 0) > MAX_HEADER) throw longHeader();
};

interface Checks {
  readonly settings: TableSettings;
  readonly delimiter: string;
  readonly ending: { readonly last: string };
}

async function* checkedRows(
  parsed: AsyncIterator<Parsed, undefined>,
  header: readonly string[],
  { settings: { trailer, lastLine }, delimiter, ending }: Checks,
): AsyncGenerator<Row> {
  const countIn = trailer === undefined ? () => undefined : trailerReader(trailer, delimiter);
  let number = 0;
  let blank = 0;
  let counted: number | undefined;
  let surplus: number | undefined;
  try {
    for (;;) {
      const { done, value } = await parsed.next();
      if (done === true) break;
      const { record } = value;
      const line = value.info.lines;
      if (isBlank(record)) {
        blank += 1;
        continue;
      }
      if (counted !== undefined)
        throw new SourceError('schema', `Line ${line} follows the trailer.`);
      counted = countIn(record);
      if (counted !== undefined) continue;
      number += 1;
      surplus ??= surplusOf(record, header);
      const fault = quoteFault(value) ?? widthFault(record, line, header.length, surplus);
      const cells = header.map((_, at) => record[at] ?? '');
      yield { number: number + blank, line, cells, fault };
    }
  } finally {
    await parsed.return?.();
  }
  if (trailer !== undefined && counted === undefined)
    throw new SourceError(
      'schema',
      `The last line is not the trailer \`${trailer}\`: the file was cut. Export it again.`,
    );
  if (counted !== undefined && counted !== number)
    throw new SourceError(
      'schema',
      `The trailer says ${counted} records, but there are ${number}. Export the file again.`,
    );
  if (trailer === undefined && lastLine === 'ended' && !/[\r\n]/.test(ending.last))
    throw new SourceError(
      'schema',
      'The last line does not end with a line break, so the file may have been cut. Export it ' +
        'again, or set `lastLine: any` if your system never ends the last line.',
    );
}

/**
 * How many values more than the header the first line has. Some programs end every line with a
 * delimiter but not the header, or the reverse. A value in surplus shifts the others: none is.
 */
const surplusOf = (cells: readonly string[], header: readonly string[]): number => {
  const surplus = cells.length - header.length;
  const isMeant = surplus > 0 ? isBlank(cells.slice(header.length)) : header.at(-1) === '';
  return isMeant && surplus >= -1 ? surplus : 0;
};

const widthFault = (
  cells: readonly string[],
  line: number,
  columns: number,
  surplus: number,
): string | undefined => {
  const width = columns + surplus;
  if (cells.length === width)
    return isBlank(cells.slice(columns))
      ? undefined
      : `Line ${line} has a value behind the last column of the header.`;
  const expected = surplus === 0 ? 'the header has' : 'the lines before it have';
  return `Line ${line} has ${cells.length} values, but ${expected} ${width}${surplus === 0 ? ' columns' : ''}.`;
};

/** Reads the count of a line that is the trailer. */
const trailerReader = (trailer: string, delimiter: string) => {
  const expected = trailer.split(delimiter).map((cell) => cell.trim());
  return (cells: readonly string[]): number | undefined => {
    // Some programs give every line the same number of cells.
    if (cells.slice(expected.length).some((cell) => cell.trim() !== '')) return undefined;
    let count: number | undefined;
    for (const [at, wanted] of expected.entries()) {
      const cell = cells[at]?.trim() ?? '';
      const [before = '', after] = wanted.split('{count}');
      if (after === undefined) {
        if (cell !== wanted) return undefined;
        continue;
      }
      const digits = cell.slice(before.length, cell.length - after.length);
      if (cell !== before + digits + after || !/^\d{1,15}$/.test(digits)) return undefined;
      count = Number(digits);
    }
    return count;
  };
};
