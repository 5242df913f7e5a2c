import { parseArgs } from 'node:util';
import { isPeerName, PEER_NAMES, type PeerName } from './servers/start-server.js';
import { ALL_IDS, CONNECTORS, FIRST_SYNC, idsFor, WORKLOADS } from './workloads.js';

export interface BenchOptions {
  readonly peers: readonly PeerName[];
  readonly workloads: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Users in the directory; every peer runs once for each size. */
  readonly sizes: readonly number[];
  /** Users of a first sync (W8), independent of `sizes`. */
  readonly syncUsers: number;
  /** Deliveries of the backlog in webhooks-drain. */
  readonly backlog: number;
  /** Employees in the file of the connector; one gateway for each number. */
  readonly employees: readonly number[];
  /** Whether the gateway has a webhook for all events. */
  readonly webhook: boolean;
  readonly build: boolean;
  readonly json?: string;
  /** The workload to profile. */
  readonly profile?: string;
}

/** Wrong options. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `npm run bench -- [workload …] [options]

  workloads: ${ALL_IDS.join(', ')}
  W1 stands for W1-1, W1-8 and W1-64, webhooks for both webhook workloads; default: all

  --workloads LIST   workloads, separated by commas
  --peers LIST       peers among ${PEER_NAMES.join(', ')}; default: all
  --size LIST        users in the directory, such as 10k or 10k,100k; default: 10k
  --rounds N         rounds of each workload; default: 5
  --seconds S        length of a round; default: 3
  --backlog N        deliveries of webhooks-drain; default: 20k
  --employees LIST   employees of connectors, such as 10k,50k; default: 50k
  --quick            2 rounds of 1 s, to check that everything works
  --profile NAME     CPU profile of one workload: of the gateway, or of the one peer in --peers
  --no-webhook       run the gateway without a webhook
  --no-build         measure dist/ without building it
  --json FILE        write all results to this file
`;

const QUICK_PACE = {
  rounds: 2,
  seconds: 1,
  warmUpSeconds: 0.5,
  syncUsers: 1_000,
  backlog: 2_000,
  employees: '2k',
};
const DEFAULT_PACE = {
  rounds: 5,
  seconds: 3,
  warmUpSeconds: 1.5,
  syncUsers: 10_000,
  backlog: 20_000,
  employees: '50k',
};

const parseGiven = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowNegative: true,
    allowPositionals: true,
    options: {
      workloads: { type: 'string' },
      peers: { type: 'string' },
      size: { type: 'string', default: '10k' },
      backlog: { type: 'string' },
      employees: { type: 'string' },
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

/** The options; undefined with --help. Throws a UsageError. */
export const readOptions = (argv: readonly string[]): BenchOptions | undefined => {
  const { values, positionals } = rethrowUsage(() => parseGiven(argv));
  if (values.help) return undefined;
  const pace = values.quick ? QUICK_PACE : DEFAULT_PACE;
  const profile = values.profile === undefined ? undefined : profileIn(values.profile);
  return {
    peers: peersIn(values.peers ?? (profile === undefined ? PEER_NAMES.join() : 'rollgate')),
    workloads: [...new Set(namesIn(positionals, values.workloads).flatMap(workloadsIn))],
    rounds: values.rounds === undefined ? pace.rounds : positiveIn(values.rounds),
    seconds: values.seconds === undefined ? pace.seconds : positiveIn(values.seconds),
    warmUpSeconds: pace.warmUpSeconds,
    syncUsers: pace.syncUsers,
    backlog: values.backlog === undefined ? pace.backlog : sizeIn(values.backlog),
    sizes: listIn(values.size).map(sizeIn),
    employees: listIn(values.employees ?? pace.employees).map(sizeIn),
    webhook: values.webhook,
    build: values.build,
    ...(values.json !== undefined && { json: values.json }),
    ...(profile !== undefined && { profile }),
  };
};

const rethrowUsage = <Value>(read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

/** From the arguments and --workloads; all workloads if there are none. */
const namesIn = (words: readonly string[], list: string | undefined): readonly string[] => {
  const named = [...words, ...(list === undefined ? [] : [list])].flatMap(listIn);
  return named.length === 0 ? ALL_IDS : named;
};

const listIn = (text: string): readonly string[] => text.split(',').map((item) => item.trim());

const peersIn = (text: string): readonly PeerName[] =>
  listIn(text).map((name) => {
    if (isPeerName(name)) return name;
    throw new UsageError(`Unknown peer ${name}. Allowed: ${PEER_NAMES.join(', ')}.`);
  });

const workloadsIn = (name: string): readonly string[] => {
  const ids = idsFor(name);
  if (ids.length > 0) return ids;
  throw new UsageError(`Unknown workload ${name}. Allowed: ${ALL_IDS.join(', ')}.`);
};

const profileIn = (name: string): string => {
  const allowed = [FIRST_SYNC, CONNECTORS, ...WORKLOADS.map(({ id }) => id)];
  const [id, ...others] = idsFor(name).filter((each) => allowed.includes(each));
  if (id !== undefined && others.length === 0) return id;
  throw new UsageError(`--profile needs one workload. Allowed: ${allowed.join(', ')}.`);
};

const positiveIn = (text: string): number => {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new UsageError(`${text} is not a positive number.`);
};

const MIN_USERS = 1_000;

const sizeIn = (text: string): number => {
  const [, digits, thousands] = /^(\d+)(k?)$/i.exec(text) ?? [];
  const size = Number(digits ?? NaN) * (thousands ? 1_000 : 1);
  if (size >= MIN_USERS) return size;
  throw new UsageError(`${text} is not a size: use 1k or more, such as 10k or 100k.`);
};
