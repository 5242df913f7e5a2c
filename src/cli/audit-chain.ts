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
const HASH_LENGTH = 64;
const SUFFIX = /^(.*),"hash":"([0-9a-f]{64})"\}$/s;
const FIRST_PREV_HASH = '0'.repeat(HASH_LENGTH);
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

/** What is wrong with a file, and where. */
export interface AuditProblem {
  /** From 1; null: the file as a whole. */
  readonly line: number | null;
  readonly problem: string;
}

export interface AuditReport {
  readonly entries: number;
  readonly signed_at: string | null;
  readonly public_key: string | null;
  /** Of the head: the next file may continue it. */
  readonly hash: string | null;
  /** The hash of the head of the file that this one continues. */
  readonly continues: string | null;
  readonly problems: readonly AuditProblem[];
}

interface Line {
  readonly number: number;
  /** The hash that its bytes have. */
  readonly hash: string;
  /** Whether that is the one it ends with. */
  readonly isIntact: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Expectations {
  /** The public key that must have signed it. */
  readonly trustedKey?: string | undefined;
  /** Of the file that it must continue. */
  readonly after?: Pick<AuditReport, 'hash'> | undefined;
  /** Called with the content of each line that is intact. */
  readonly onLine?: (fields: Readonly<Record<string, unknown>>) => void;
}

export const verifyAudit = async (
  lines: AsyncIterable<string>,
  { trustedKey, after, onLine }: Expectations = {},
): Promise<AuditReport> => {
  const problems: AuditProblem[] = [];
  const seen = new Map<number, number>();
  /** Of the lines that are in order. */
  let previous: Line | undefined;
  let header: Line | undefined;
  let head: Line | undefined;
  let highest = 0;
  let number = 0;
  const note = (line: number | null, problem: string): void =>
    void problems.push({ line, problem });

  for await (const text of lines) {
    number += 1;
    const line = readLine(text, number);
    if (head) note(number, 'inserted: it follows the head');
    else if (!line) note(number, 'changed: not a line of an audit export');
    if (head || !line) continue;
    const { kind, prev_hash: prevHash } = line.fields;
    if (line.isIntact) onLine?.(line.fields);
    else note(number, `changed: ${nameOf(line)} does not match its hash`);
    if (number === 1 && kind === 'header') header = line;
    else if (number === 1) note(number, 'removed: the header is missing');
    const position = positionOf(line);
    const first = seen.get(position);
    if (first !== undefined)
      note(number, `inserted: entry ${position} is on line ${first} already`);
    else if (position < highest)
      note(number, `reordered: entry ${position} comes after entry ${highest}`);
    else if (previous?.isIntact && position === highest + 1 && prevHash !== previous.hash)
      note(previous.number, `changed: line ${number} contains another hash of it`);
    if (kind === 'entry' && first === undefined) seen.set(position, number);
    if (kind === 'head') head = line;
    if (first !== undefined || position < highest) continue;
    highest = position;
    previous = line;
  }

  const count = head?.fields['count'];
  const last = typeof count === 'number' ? count : highest;
  for (const { from, to, before } of gapsIn(seen, last))
    note(before, `removed: ${from === to ? `entry ${from}` : `entries ${from} to ${to}`}`);
  if (head) checkHead(head, { problems, trustedKey });
  else if (number === 0) note(null, 'removed: the file is empty');
  else note(null, 'removed: the head is missing, so the end of the file is not signed');
  const first = textIn(header, 'prev_hash');
  if (after && first !== after.hash) note(1, 'changed: it does not continue the earlier export');
  return {
    entries: seen.size,
    signed_at: textIn(head, 'signed_at'),
    public_key: textIn(head, 'public_key'),
    hash: head?.hash ?? null,
    continues: first === FIRST_PREV_HASH ? null : first,
    problems: problems.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity)),
  };
};

const readLine = (text: string, number: number): Line | undefined => {
  const [, content = '', given] = SUFFIX.exec(text) ?? [];
  if (given === undefined) return undefined;
  try {
    const fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const hash = sha256(content);
    return { number, hash: given, isIntact: hash === given, fields };
  } catch {
    return undefined;
  }
};

/** 0 for the header, and for the head one more than it counts. */
const positionOf = ({ fields: { kind, seq, count } }: Line): number => {
  if (kind === 'head') return typeof count === 'number' ? count + 1 : Infinity;
  return kind === 'entry' && typeof seq === 'number' ? seq : 0;
};

const nameOf = ({ fields: { kind, seq } }: Line): string =>
  typeof seq === 'number' ? `entry ${seq}` : `the ${String(kind)}`;

const textIn = (line: Line | undefined, field: string): string | null => {
  const value = line?.fields[field];
  return typeof value === 'string' ? value : null;
};

/** Numbers up to the last one that are missing, and the line before which they belong. */
const gapsIn = (seen: ReadonlyMap<number, number>, last: number) => {
  const gaps: { readonly from: number; readonly to: number; readonly before: number | null }[] = [];
  let due = 1;
  for (const [seq, line] of [...seen].toSorted(([a], [b]) => a - b)) {
    if (seq > due) gaps.push({ from: due, to: seq - 1, before: line });
    due = seq + 1;
  }
  if (due <= last) gaps.push({ from: due, to: last, before: null });
  return gaps;
};

const checkHead = (
  head: Line,
  { problems, trustedKey }: { problems: AuditProblem[]; trustedKey: string | undefined },
): void => {
  const {
    count,
    signed_at: signedAt,
    public_key: publicKey,
    signature,
    prev_hash: hash,
  } = head.fields;
  if (trustedKey !== undefined && publicKey !== trustedKey)
    problems.push({ line: head.number, problem: 'changed: the head is signed by another key' });
  if (!isSignature({ count, signedAt, publicKey, signature, hash }))
    problems.push({ line: head.number, problem: 'changed: the signature of the head is wrong' });
};

const isSignature = (head: Readonly<Record<string, unknown>>): boolean => {
  const { count, signedAt, publicKey, signature, hash } = head;
  if (typeof count !== 'number' || typeof signedAt !== 'string') return false;
  if (typeof publicKey !== 'string' || typeof signature !== 'string') return false;
  if (typeof hash !== 'string') return false;
  try {
    const key = parsePublicKey(publicKey);
    return verify(null, signedBytes(hash, count, signedAt), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
};
