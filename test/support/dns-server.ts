import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { afterAll, expect } from 'vitest';
import { eventually } from './eventually.js';

/** The response for each name; for other names it is "no such name". */
export type Zone = Map<
  string,
  | { readonly addresses: readonly string[]; readonly ttl?: number }
  /** No response. */
  | 'silent'
  /** No response for IPv6 addresses. */
  | { readonly addresses: readonly string[]; readonly ttl?: number; readonly silentFor: 'AAAA' }
  | 'failing'
  /** Fails once `letGo` is called. */
  | 'held'
>;

export interface DnsServer {
  /** In the format of `setServers`. */
  readonly address: string;
  readonly zone: Zone;
  /** The name of each query, for IPv4 and IPv6. */
  readonly queries: readonly string[];
  /** Waits for the queries of both families for a held name, and fails them. */
  readonly failHeld: (name: string) => Promise<void>;
}

const HEADER_BYTES = 12;
const TYPES: ReadonlyMap<number, 'A' | 'AAAA'> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);

/** The first question (RFC 1035, 4.1.2) and the offset of its end. */
const questionIn = (query: Buffer) => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES.get(query.readUInt16BE(at + 1));
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
};

const bytesOf = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(8 - left!.length - right!.length).fill('0');
  const groups = [...left!, ...zeros, ...right!].map((group) => parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
};

/** A resource record (RFC 1035, 4.1.3) whose name is a pointer to the question. */
const recordOf = (address: string, ttl: number): Buffer => {
  const data = bytesOf(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

const responseTo = (
  query: Buffer,
  end: number,
  code: number,
  records: readonly Buffer[],
): Buffer => {
  const head = Buffer.alloc(HEADER_BYTES);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, query.subarray(HEADER_BYTES, end), ...records]);
};

/** Starts a DNS server on loopback for the calling file or `describe`. */
export const startDnsServer = async (): Promise<DnsServer> => {
  const zone: Zone = new Map();
  const queries: string[] = [];
  const held: { readonly name: string; readonly fail: () => void }[] = [];
  const socket = createSocket('udp4');
  afterAll(() => new Promise<void>((resolve) => void socket.close(() => resolve())));
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = questionIn(query);
    queries.push(name);
    const entry = zone.get(name);
    const send = (code: number, records: readonly Buffer[] = []): void => {
      socket.send(responseTo(query, end, code, records), from.port, from.address);
    };
    if (entry === 'silent') return;
    if (entry === 'held') held.push({ name, fail: () => send(SERVER_FAILURE) });
    else if (entry === 'failing') send(SERVER_FAILURE);
    else if (entry === undefined) send(NAME_ERROR);
    else if (!('silentFor' in entry) || entry.silentFor !== type) {
      const ofType = entry.addresses.filter((address) => isIPv4(address) === (type === 'A'));
      send(
        0,
        ofType.map((address) => recordOf(address, entry.ttl ?? 60)),
      );
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    queries,
    failHeld: async (name) => {
      const ofName = () => held.filter((each) => each.name === name);
      await eventually(() => expect(ofName()).toHaveLength(2));
      zone.set(name, 'failing');
      for (const { fail } of ofName()) fail();
    },
  };
};
