import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

/**
 * A file of NDJSON lines in which each line contains the hash of the one before. Each line ends with
 * its own hash: the SHA-256 of its bytes up to `,"hash":"`. The last line, the head, is signed. The
 * header of a file that continues another contains the hash of that file's head.
 */
const SUFFIX = /^(.*),"hash":"([0-9a-f]{64})"\}$/s;
const FIRST_PREV_HASH = '0'.repeat(64);
const FORMAT = 1;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Adds lines to a chain; returns their texts, each with its line break. */
export interface AuditChain {
  readonly header: (about: Readonly<Record<string, unknown>>) => string;
  readonly entry: (entry: unknown) => string;
  /** The signed end. */
  readonly head: (key: KeyObject, signedAt: Date) => string;
  readonly count: () => number;
}

/** `after` is the hash of the head of the file that this one continues. */
export const createAuditChain = (after = FIRST_PREV_HASH): AuditChain => {
  let previous = after;
  let count = 0;
  const line = (kind: string, fields: Readonly<Record<string, unknown>>): string => {
    const content = JSON.stringify({ kind, prev_hash: previous, ...fields }).slice(0, -1);
    previous = sha256(content);
    return `${content},"hash":"${previous}"}\n`;
  };
  return {
    header: (about) => line('header', { format: FORMAT, ...about }),
    entry: (entry) => line('entry', { seq: (count += 1), entry }),
    head: (key, signedAt) => {
      const signed_at = signedAt.toISOString();
      const signature = sign(null, signedBytes(previous, count, signed_at), key).toString('base64');
      return line('head', { count, signed_at, public_key: publicKeyOf(key), signature });
    },
    count: () => count,
  };
};

const signedBytes = (hash: string, count: number, signedAt: string): Buffer =>
  Buffer.from(`rollgate audit ${FORMAT}\n${hash}\n${count}\n${signedAt}\n`);

/** The public half of a key pair, as one line. */
export const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');

export const parsePrivateKey = (pem: string): KeyObject => createPrivateKey(pem);

const parsePublicKey = (text: string): KeyObject =>
  createPublicKey({ key: Buffer.from(text, 'base64'), type: 'spki', format: 'der' });

/** The first thing that is wrong with a file, and where. */
export interface AuditProblem {
  /** From 1; null: the end of the file, or the file as a whole. */
  readonly line: number | null;
  readonly problem: string;
}

export interface AuditReport {
  /** That were read, up to the problem if there is one. */
  readonly entries: number;
  readonly signed_at: string | null;
  readonly public_key: string | null;
  /** Of the head: the next file may continue it. */
  readonly hash: string | null;
  /** The hash of the head of the file that this one continues. */
  readonly continues: string | null;
  readonly problem: AuditProblem | null;
}

interface Expectations {
  /** The public key that must have signed it. */
  readonly trustedKey?: string | undefined;
  /** Of the file that it must continue. */
  readonly after?: Pick<AuditReport, 'hash'> | undefined;
  /** Called with the content of each line that continues the chain. */
  readonly onLine?: (fields: Fields) => void;
}

/**
 * Reads lines until one does not continue the chain. The lines after it prove nothing, because
 * a change of one line may go with changes of those.
 */
export const verifyAudit = async (
  lines: AsyncIterable<string>,
  { trustedKey, after, onLine }: Expectations = {},
): Promise<AuditReport> => {
  const read: ReadLines = { number: 0, entries: 0 };
  let problem: AuditProblem | null = null;
  for await (const text of lines) {
    read.number += 1;
    const line = readLine(text, read, { trustedKey, after });
    if (typeof line === 'string') {
      problem = { line: read.number, problem: line };
      break;
    }
    onLine?.(line.fields);
    read.header ??= line;
    read.previous = line;
    if (line.fields['kind'] === 'entry') read.entries += 1;
    if (line.fields['kind'] === 'head') read.head = line;
  }
  if (!problem && read.number === 0) problem = { line: null, problem: 'the file is empty' };
  else if (!problem && !read.head)
    problem = { line: null, problem: 'the signed end is missing: lines were removed' };
  const continued = textIn(read.header, 'prev_hash');
  return {
    entries: read.entries,
    signed_at: textIn(read.head, 'signed_at'),
    public_key: textIn(read.head, 'public_key'),
    hash: read.head?.hash ?? null,
    continues: continued === FIRST_PREV_HASH ? null : continued,
    problem,
  };
};

type Fields = Readonly<Record<string, unknown>>;

/** A line that continues the chain. */
interface Line {
  readonly hash: string;
  readonly fields: Fields;
}

/** How far a file has been read. */
interface ReadLines {
  number: number;
  entries: number;
  header?: Line;
  previous?: Line;
  head?: Line;
}

/** The line, or why it does not continue what was read. */
const readLine = (text: string, read: ReadLines, expected: Expectations): Line | string => {
  if (read.head) return 'it follows the signed end';
  const [, content = '', hash] = SUFFIX.exec(text) ?? [];
  const fields = hash === undefined ? undefined : parseFields(text);
  if (hash === undefined || fields === undefined) return 'it is not a line of an audit export';
  if (sha256(content) !== hash) return 'it was changed: its content does not match its hash';
  const line = { hash, fields };
  return faultOf(line, read, expected) ?? line;
};

const parseFields = (text: string): Fields | undefined => {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return undefined;
  }
};

const faultOf = (
  { fields }: Line,
  read: ReadLines,
  { trustedKey, after }: Expectations,
): string | undefined => {
  const { kind, prev_hash: previousHash } = fields;
  if (!read.previous) {
    if (kind !== 'header') return 'the header is missing';
    return after && previousHash !== after.hash
      ? 'it does not continue the earlier export'
      : undefined;
  }
  if (previousHash !== read.previous.hash)
    return `it does not follow line ${read.number - 1}: lines were removed, inserted or moved here`;
  return kind === 'head' ? faultOfHead(fields, read.entries, trustedKey) : undefined;
};

const faultOfHead = (
  fields: Fields,
  entries: number,
  trustedKey: string | undefined,
): string | undefined => {
  const { count, signed_at: signedAt, public_key: publicKey, signature, prev_hash: hash } = fields;
  if (trustedKey !== undefined && publicKey !== trustedKey) return 'it is signed by another key';
  if (count !== entries) return `it counts ${String(count)} entries, and there are ${entries}`;
  const signed = signedBytes(String(hash), entries, String(signedAt));
  return isSignature(signed, String(signature), String(publicKey))
    ? undefined
    : 'its signature is wrong';
};

const isSignature = (signed: Buffer, signature: string, publicKey: string): boolean => {
  try {
    return verify(null, signed, parsePublicKey(publicKey), Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
};

const textIn = (line: Line | undefined, field: string): string | null => {
  const value = line?.fields[field];
  return typeof value === 'string' ? value : null;
};
