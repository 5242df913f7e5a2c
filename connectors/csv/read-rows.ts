import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { SourceError } from '../../src/plugin/api.js';
import { decode } from './decode.js';
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

/** No person has this much; an unbalanced quote has. */
const MAX_RECORD = 1_048_576;
const CANDIDATES = [',', ';', '\t', '|'];

/** Opens CSV text (RFC 4180, with other delimiters). */
export const openTable = async (
  bytes: AsyncIterable<Uint8Array>,
  settings: CsvSettings,
): Promise<Table> => {
  const text = decode(bytes, settings.encoding)[Symbol.asyncIterator]();
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
  const source = Readable.from(join(head, isWhole ? undefined : text, ending));
  source.once('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const parsed = translateFaults(parser as AsyncIterable<Parsed>, source)[Symbol.asyncIterator]();
  const first = await parsed.next();
  if (first.done === true)
    throw new SourceError('schema', 'The file is empty: it has no header line.');
  const header = first.value.record.map((name) => name.trim());
  refuseDuplicates(header);
  return {
    header,
    delimiter,
    rows: checkedRows(parsed, { settings, delimiter, ending }),
  };
};

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
    if (head.length > MAX_RECORD)
      throw new SourceError('schema', 'The first line is longer than 1 MiB: this is no CSV file.');
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
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE')
    return new SourceError(
      'schema',
      `A quote is opened and never closed${line > 0 ? `, near line ${line}` : ''}: the file is cut ` +
        'or broken. Export it again.',
    );
  return new SourceError(
    'schema',
    `The file is not valid CSV${line > 0 ? ` at line ${line}` : ''} (${error.code}): a quote in a ` +
      'quoted value must be doubled. Export it again.',
  );
};

const refuseDuplicates = (header: readonly string[]): void => {
  const named = header.filter((name) => name !== '');
  const twice = named.filter((name, at) => named.indexOf(name) < at);
  if (twice.length === 0) return;
  throw new SourceError(
    'schema',
    `The header has columns twice: ${[...new Set(twice)].join(', ')}. Rename them in the export.`,
  );
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
    const given = cells.map((cell) => cell.trim());
    if (given.slice(expected.length).some((cell) => cell !== '')) return undefined;
    let count: number | undefined;
    for (const [at, wanted] of expected.entries()) {
      const cell = given[at] ?? '';
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
