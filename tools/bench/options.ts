import { flag, MAIN, number, text, UsageError, type ValuesOf } from '../shared/faults/scenario.js';
import { isPeerName, PEER_NAMES, type PeerName } from './servers/start-server.js';
import { ALL_IDS, idsFor } from './workloads.js';

export const OPTIONS = {
  workloads: text('', 'workloads, separated by commas'),
  peers: text(PEER_NAMES.join(), 'servers'),
  size: text('10k', 'users in the directory, such as 10k or 10k,100k'),
  rounds: number(5, 'rounds of each workload'),
  seconds: number(3, 'length of a round'),
  sync: text('10k', 'users of W8'),
  backlog: text('20k', 'deliveries of drain'),
  employees: text('50k', 'employees of connectors, such as 10k,50k'),
  quick: flag('2 rounds of 1 s and a tenth of the data, to check that everything works'),
  'no-webhook': flag('run the gateway without a webhook'),
  profile: text('', 'folder for a CPU profile of each server'),
  main: MAIN,
  json: text('', 'file for all results'),
};

export interface BenchOptions {
  readonly peers: readonly PeerName[];
  readonly workloads: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  /** Users in the directory; every peer runs once for each size. */
  readonly sizes: readonly number[];
  /** Users of a first sync (W8), independent of `sizes`. */
  readonly syncUsers: number;
  /** Deliveries of the backlog in drain. */
  readonly backlog: number;
  /** Employees in the file of the connector; one gateway for each number. */
  readonly employees: readonly number[];
  /** Whether the gateway has a webhook for all events. */
  readonly webhook: boolean;
  /** Node.js flags of the servers. */
  readonly nodeFlags: readonly string[];
  /** The gateway's program; by default the built one. */
  readonly main: string;
}

const QUICK = { rounds: 2, seconds: 1, sync: '1k', backlog: '2k', employees: '2k' };
/** Of a profile, in microseconds. */
const PROFILE_INTERVAL = '250';

export const optionsOf = (values: ValuesOf<typeof OPTIONS>): BenchOptions => {
  const { rounds, seconds, sync, backlog, employees } = { ...values, ...(values.quick && QUICK) };
  const { workloads, peers, size, profile, main } = values;
  return {
    peers: listIn(peers).map(peerIn),
    workloads: workloads === '' ? ALL_IDS : [...new Set(listIn(workloads).flatMap(idsIn))],
    rounds,
    seconds,
    sizes: listIn(size).map(sizeIn),
    syncUsers: sizeIn(sync),
    backlog: sizeIn(backlog),
    employees: listIn(employees).map(sizeIn),
    webhook: !values['no-webhook'],
    nodeFlags:
      profile === ''
        ? []
        : ['--cpu-prof', '--cpu-prof-dir', profile, '--cpu-prof-interval', PROFILE_INTERVAL],
    main,
  };
};

const listIn = (list: string): readonly string[] => list.split(',').map((item) => item.trim());

const peerIn = (name: string): PeerName => {
  if (isPeerName(name)) return name;
  throw new UsageError(`Unknown peer ${name}. Allowed: ${PEER_NAMES.join(', ')}.`);
};

const idsIn = (name: string): readonly string[] => {
  const ids = idsFor(name);
  if (ids.length > 0) return ids;
  throw new UsageError(`Unknown workload ${name}. Allowed: ${ALL_IDS.join(', ')}.`);
};

const MIN_USERS = 1_000;

const sizeIn = (size: string): number => {
  const [, digits, thousands] = /^(\d+)(k?)$/i.exec(size) ?? [];
  const number = Number(digits ?? NaN) * (thousands ? 1_000 : 1);
  if (number >= MIN_USERS) return number;
  throw new UsageError(`${size} is not a size: use 1k or more, such as 10k or 100k.`);
};
