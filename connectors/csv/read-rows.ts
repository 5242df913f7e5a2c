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
  readonly cells: readonly string[];
}

/** A file that is open for reading. */
export interface Table {
  readonly header: readonly string[];
  readonly delimiter: string;
  /** Throws a SourceError if the file turns out to be cut or broken. */
  readonly rows: AsyncIterable<Row>;
}

/** In characters. No person has this much; an unbalanced quote has. */
const MAX_RECORD = 262_144;
/** With its delimiters and quotes, which the parser does not count. */
const MAX_RAW_RECORD = 2 * MAX_RECORD;
/** In characters. */
const MAX_HEADER = 65_536;
const MAX_COLUMNS = 2_000;
const CANDIDATES = [',', ';', '\t', '|'];

/** Opens CSV text (RFC 4180, with other delimiters). */
export const openTable = async (
  bytes: AsyncIterable<Uint8Array>,
  settings: CsvSettings,
): Promise<Table> => {
  const text = decode(inPieces(bytes), settings)[Symbol.asyncIterator]();
  const { head, isWhole } = await readFirstLine(text);
  if (head.trim() === '')
    throw new SourceError('schema', 'The file is empty: it has no header line.');
  const delimiter = settings.delimiter ?? mostFrequent(head);
  const ending = { last: '' };
  const parser = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: MAX_RECORD,
  });
  const finished = (): number => parser.info.records + parser.info.empty_lines;
  const whole = join(head, isWhole ? undefined : text, ending);
  const source = Readable.from(boundRecords(whole, finished), { highWaterMark: 1 });
  source.once('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const parsed = translateFaults(parser as AsyncIterable<Parsed>, source)[Symbol.asyncIterator]();
  const first = await parsed.next();
  if (first.done === true)
    throw new SourceError('schema', 'The file is empty: it has no header line.');
  const header = first.value.record.map((name) => name.trim());
  requireSize(header);
  return {
    header,
    delimiter,
    rows: checkedRows(parsed, { settings, delimiter, ending }),
  };
};

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
  { encoding }: CsvSettings,
): AsyncGenerator<string, undefined> {
  const decoder = createByteDecoder({
    ...(encoding !== 'auto' && { charset: encoding }),
    broken: (why) =>
      new SourceError(
        'schema',
        `The file ${why}. If it is complete, set \`encoding\`, for example to windows-1252.`,
      ),
  });
  for await (const chunk of chunks) yield decoder.decode(chunk);
  yield decoder.end();
  return undefined;
}

interface Parsed {
  readonly record: readonly string[];
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
    if (/[^\s][\r\n]/.test(head)) return { head, isWhole: false };
    if (head.length > MAX_HEADER) throw longHeader();
  }
};

/** The delimiter of which the first line has most, outside of quotes. */
const mostFrequent = (text: string): string => {
  const [line = ''] = text
    .trimStart()
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]/);
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
  return new SourceError(
    'schema',
    `The file is not valid CSV${line > 0 ? ` at line ${line}` : ''} (${error.code}): a quote in a ` +
      'quoted value must be doubled. Export it again.',
  );
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
  readonly settings: CsvSettings;
  readonly delimiter: string;
  readonly ending: { readonly last: string };
}

async function* checkedRows(
  parsed: AsyncIterator<Parsed, undefined>,
  { settings: { trailer, lastLine }, delimiter, ending }: Checks,
): AsyncGenerator<Row> {
  const countIn = trailer === undefined ? () => undefined : trailerReader(trailer, delimiter);
  let number = 0;
  let counted: number | undefined;
  try {
    for (;;) {
      const { done, value } = await parsed.next();
      if (done === true) break;
      if (counted !== undefined)
        throw new SourceError('schema', `Line ${value.info.lines} follows the trailer.`);
      counted = countIn(value.record);
      if (counted !== undefined) continue;
      number += 1;
      yield { number, line: value.info.lines, cells: value.record };
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
