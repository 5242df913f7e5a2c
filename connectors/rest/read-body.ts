import type { Readable } from 'node:stream';
import {
  parseExactJson,
  readSourceJson,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  streamJsonArray,
  z,
} from '../../src/plugin/api.js';
import { openTable } from '../csv/read-rows.js';
import { parseXml } from './parse-xml.js';
import { advice, type Api, sourceOf } from './api.js';
import type { Sender } from './send.js';
import { isObject, valueAt } from './value-at.js';

/** A response with records. */
export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body of JSON and XML, for paths to what is beside the records. */
  readonly document?: unknown;
  /** Read once. Throws a SourceError if the response turns out to be cut or broken. */
  readonly items: AsyncIterable<unknown> | Iterable<unknown>;
}

/** In characters. No person has this much. */
const MAX_RECORD = 262_144;

/** Requests a list and finds the records in it. CSV and NDJSON are read as they arrive. */
export const requestPage = async (
  sender: Sender,
  request: SourceRequest,
  { at, setting }: { readonly at: string | undefined; readonly setting: string },
  settings: Api,
): Promise<Page> => {
  const source = sourceOf(settings);
  const { format, people } = settings;
  if (format === 'csv' || format === 'ndjson' || (setting === 'people' && people.stream)) {
    const { body, ...head } = await sender.stream(request);
    if (head.status < 200 || head.status > 299) {
      body.destroy();
      sender.requireOk({ ...head, body: '' });
    }
    const items =
      format === 'csv'
        ? readCsv(body, setting === 'people' ? people.id : undefined, settings)
        : format === 'json'
          ? readArray(body, at ?? '', source, request.signal)
          : readLines(body, source);
    return { ...head, items };
  }
  const response = await sender.send(request);
  sender.requireOk(response);
  const document = await parseDocument(response, settings);
  return {
    status: response.status,
    headers: response.headers,
    document,
    items: listAt(document, at, `${setting}.at`, settings),
  };
};

/** A body in JSON or XML. */
export const parseDocument = async (response: SourceResponse, api: Api): Promise<unknown> => {
  const source = sourceOf(api);
  if (api.format === 'xml') return await parseXml(response.body, source);
  return readSourceJson(response, z.unknown(), { source });
};

/** A list that is absent is not an empty one. */
const listAt = (document: unknown, at: string | undefined, setting: string, api: Api) => {
  const value = at === undefined ? document : valueAt(document, at);
  if (Array.isArray(value)) return value as readonly unknown[];
  const { format } = api;
  // XML has no lists: one element is the element itself, none is an empty text around it.
  if (format === 'xml' && value !== undefined) return value === '' ? [] : [value];
  if (format === 'xml' && at !== undefined && isEmptyParent(document, at)) return [];
  const place = at === undefined ? 'that is a list' : `with a list at "${at}"`;
  throw new SourceError(
    'schema',
    `${sourceOf(api)} sent no response ${place}; ${fieldsIn(document)}.` +
      advice(api, `Check \`${setting}\`.`),
  );
};

const isEmptyParent = (document: unknown, at: string): boolean =>
  at.includes('.') && valueAt(document, at.slice(0, at.lastIndexOf('.'))) === '';

const MAX_SHOWN = 10;

/** What is there instead, for messages: names in double quotes, settings in backticks. */
export const fieldsIn = (document: unknown): string => {
  if (Array.isArray(document)) return 'it is a list itself, which needs no path';
  if (!isObject(document)) return 'it is no object';
  const names = Object.keys(document);
  const shown = names.slice(0, MAX_SHOWN).map((name) => `"${name.slice(0, 50)}"`);
  return names.length === 0
    ? 'it is empty'
    : `it has ${shown.join(', ')}${names.length > MAX_SHOWN ? ', …' : ''}`;
};

async function* readArray(
  body: Readable,
  key: string,
  source: string,
  signal: AbortSignal | undefined,
): AsyncGenerator {
  try {
    yield* streamJsonArray(body, { key, source, ...(signal && { signal }) });
  } finally {
    body.destroy();
  }
}

async function* readLines(body: Readable, source: string): AsyncGenerator {
  let number = 0;
  let rest = '';
  const read = function* (lines: readonly string[]): Generator {
    for (const line of lines) {
      number += 1;
      if (line.trim() !== '') yield parseLine(line, number, source);
    }
  };
  try {
    for await (const text of body.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield* read(lines);
      if (rest.length > MAX_RECORD)
        throw new SourceError(
          'schema',
          `${source} sent a line of more than 256 KiB: line ${number + 1}.`,
        );
    }
    yield* read([rest]);
  } catch (error) {
    throw sourceErrorOf(error, source);
  } finally {
    body.destroy();
  }
}

const parseLine = (line: string, number: number, source: string): unknown => {
  try {
    return parseExactJson(line);
  } catch {
    // The error of JSON.parse quotes the line.
    throw new SourceError(
      'schema',
      `${source} sent a line that is cut or is not JSON: line ${number}.`,
    );
  }
};

async function* readCsv(body: Readable, id: string | undefined, api: Api): AsyncGenerator {
  const source = sourceOf(api);
  try {
    const { header, rows } = await openTable(body, {
      encoding: 'auto',
      delimiter: api.csv.delimiter,
      trailer: undefined,
      // HTTP says how long a response is.
      lastLine: 'any',
    });
    const hasId = id?.split('|').some((name) => header.includes(name.trim())) ?? true;
    if (header.length > 0 && !hasId)
      throw new SourceError('schema', `it has no column "${id ?? ''}".`);
    for await (const { fault, cells } of rows) {
      // The response may have been cut here.
      if (fault !== undefined) throw new SourceError('schema', fault);
      yield Object.fromEntries(header.map((name, at) => [name, cells[at]]));
    }
  } catch (error) {
    throw error instanceof SourceError
      ? new SourceError(error.kind, `${source} sent CSV that cannot be read: ${error.message}`)
      : sourceErrorOf(error, source);
  } finally {
    body.destroy();
  }
}

const sourceErrorOf = (error: unknown, source: string): Error =>
  error instanceof SourceError || (error as Error).name === 'AbortError'
    ? (error as Error)
    : new SourceError('network', `${source} broke the connection.`, { cause: error });
