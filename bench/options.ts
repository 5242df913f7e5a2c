import { parseArgs } from 'node:util';
import { isPeerName, PEER_NAMES, type PeerName } from './contestants/contestant.js';
import { ALL_IDS, FIRST_SYNC, idsFor, WORKLOADS } from './workloads.js';

export interface BenchOptions {
  readonly peers: readonly PeerName[];
  readonly workloads: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Users in the directory; with two sizes every peer runs once for each. */
  readonly sizes: readonly number[];
  /** Users of a first sync (W8), whatever the size of the directories. */
  readonly syncUsers: number;
  /** Deliveries of a backlog that drains. */
  readonly backlog: number;
  /** Whether the gateway owes each event to a webhook, as it does in use. */
  readonly webhook: boolean;
  readonly build: boolean;
  readonly json?: string;
  /** The one workload of which a CPU profile is wanted. */
  readonly profile?: string;
}

/** What was asked for cannot be done; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `npm run bench -- [workload …] [options]

  workloads: ${ALL_IDS.join(', ')}
  (W1: all of W1; webhooks: webhooks-drain too); default: all

  --workloads LIST   the same, separated by commas
  --peers LIST       of ${PEER_NAMES.join(', ')}; default: all
  --size LIST        users in the directory, such as 10k or 10k,100k; default: 10k
  --rounds N         rounds of each workload; default: 5
  --seconds S        length of a round; default: 3
  --backlog N        deliveries that drain in webhooks-drain; default: 20k
  --quick            2 rounds of 1 s: whether it works, not how fast it is
  --profile NAME     a CPU profile of one workload: the gateway's, or that of the one peer in --peers
  --no-webhook       the gateway without a webhook that each event is owed to
  --no-build         measure dist/ as it is
  --json FILE        write all that was measured
`;

const QUICK = { rounds: 2, seconds: 1, warmUpSeconds: 0.5, syncUsers: 1_000, backlog: 2_000 };
const USUAL = { rounds: 5, seconds: 3, warmUpSeconds: 1.5, syncUsers: 10_000, backlog: 20_000 };

const given = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowNegative: true,
    allowPositionals: true,
    options: {
      workloads: { type: 'string' },
      peers: { type: 'string' },
      size: { type: 'string', default: '10k' },
      backlog: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      webhook: { type: 'boolean', default: true },
      build: { type: 'boolean', default: true },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });

/** The options; undefined where help was asked for. Throws a UsageError. */
export const readOptions = (argv: readonly string[]): BenchOptions | undefined => {
  const { values, positionals } = understood(() => given(argv));
  if (values.help) return undefined;
  const pace = values.quick ? QUICK : USUAL;
  const profile = values.profile === undefined ? undefined : profiledIn(values.profile);
  return {
    peers: peersIn(values.peers ?? (profile === undefined ? PEER_NAMES.join() : 'rollgate')),
    workloads: [...new Set(namedIn(positionals, values.workloads).flatMap(workloadsIn))],
    rounds: values.rounds === undefined ? pace.rounds : positiveIn(values.rounds),
    seconds: values.seconds === undefined ? pace.seconds : positiveIn(values.seconds),
    warmUpSeconds: pace.warmUpSeconds,
    syncUsers: pace.syncUsers,
    backlog: values.backlog === undefined ? pace.backlog : sizeIn(values.backlog),
    sizes: listIn(values.size).map(sizeIn),
    webhook: values.webhook,
    build: values.build,
    ...(values.json !== undefined && { json: values.json }),
    ...(profile !== undefined && { profile }),
  };
};

const understood = <Value>(read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

/** By themselves or behind --workloads; all, where none is. */
const namedIn = (words: readonly string[], list: string | undefined): readonly string[] => {
  const named = [...words, ...(list === undefined ? [] : [list])].flatMap(listIn);
  return named.length === 0 ? ALL_IDS : named;
};

const listIn = (text: string): readonly string[] => text.split(',').map((item) => item.trim());

const peersIn = (text: string): readonly PeerName[] =>
  listIn(text).map((name) => {
    if (isPeerName(name)) return name;
    throw new UsageError(`No peer is named ${name}: take of ${PEER_NAMES.join(', ')}.`);
  });

const workloadsIn = (name: string): readonly string[] => {
  const ids = idsFor(name);
  if (ids.length > 0) return ids;
  throw new UsageError(`No workload is named ${name}: take of ${ALL_IDS.join(', ')}.`);
};

const profiledIn = (name: string): string => {
  const able = [FIRST_SYNC, ...WORKLOADS.map(({ id }) => id)];
  const [id, ...others] = idsFor(name).filter((each) => able.includes(each));
  if (id !== undefined && others.length === 0) return id;
  throw new UsageError(`A profile is of one workload: take one of ${able.join(', ')}.`);
};

const positiveIn = (text: string): number => {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new UsageError(`${text} is no number above 0.`);
};

const LEAST_USERS = 1_000;

const sizeIn = (text: string): number => {
  const [, digits, thousands] = /^(\d+)(k?)$/i.exec(text) ?? [];
  const size = Number(digits ?? NaN) * (thousands ? 1_000 : 1);
  if (size >= LEAST_USERS) return size;
  throw new UsageError(`${text} is no size: take a number from 1k, such as 10k or 100k.`);
};
