import { DatabaseError } from '../../store/connect.js';
import type { InspectedDatabase } from '../../store/inspect/inspect-database.js';
import {
  confirmMajority,
  findAilingMembers,
  readServer,
  readTransactionLimit,
  readVersion,
  timeServer,
  type Topology,
} from '../../store/inspect/read-server.js';
import {
  type DoctorContext,
  roughDuration,
  type Check,
  type CheckResult,
  fail,
  ok,
  warn,
  CheckSkipped,
  skip,
} from '../check.js';
import { findIndexGaps, type IndexGap } from '../../store/inspect/find-index-gaps.js';

/** Every change needs several round trips in sequence. */
const SLOW_ROUND_TRIP_MS = 25;

/** The database responds, and is close. */
export const checkDatabase: Check = async (context) => {
  const reached = await connect(context);
  return 'status' in reached ? reached : evaluateDistance(reached, context);
};

const connect = async (context: DoctorContext): Promise<InspectedDatabase | CheckResult> => {
  try {
    return await context.reachDatabase();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const remedy = context.isEmbedded()
      ? 'See mongod.log in the data folder.'
      : 'Start it, or correct ROLLGATE_MONGODB_URI (mongodb.uri in the configuration).';
    return fail(error.message, remedy);
  }
};

const evaluateDistance = async (
  database: InspectedDatabase,
  { clocks }: DoctorContext,
): Promise<CheckResult> => {
  const { roundTripMs } = await timeServer(database, clocks);
  const message = `MongoDB at ${database.hosts} responds in ${roughDuration(roundTripMs)}`;
  const details = { hosts: database.hosts, round_trip_ms: Number(roundTripMs.toFixed(2)) };
  if (roundTripMs <= SLOW_ROUND_TRIP_MS) return ok(`${message}.`, details);
  return warn(
    `${message}; every change needs several round trips.`,
    'Run the gateway close to its database, in the same network.',
    details,
  );
};

/** The MongoDB version is supported. */
export const checkDatabaseVersion: Check = async ({ database }) => {
  const { version, isSupported, oldest } = await readVersion(await database());
  if (isSupported) return ok(`MongoDB ${version}.`, { version });
  return fail(
    `MongoDB ${version} is not supported.`,
    `Rollgate needs ${oldest} or newer. Upgrade one release at a time.`,
    { version },
  );
};

/** The database supports transactions and accepts writes. */
export const checkTopology: Check = async ({ database }) => {
  const inspected = await database();
  const { topology, isWritable } = await readServer(inspected);
  const details = { ...topology, is_writable: isWritable };
  if (topology.kind === 'single server')
    return fail(
      'The database is a single server, which does not support transactions.',
      'Run it as a replica set; one member is enough: mongod --replSet rs0, then rs.initiate() in mongosh.',
      details,
    );
  if (!isWritable)
    return fail(
      `${describeTopology(topology)} has no primary and accepts no writes.`,
      'Bring members back until a majority is connected; see rs.status() in mongosh.',
      details,
    );
  const ailing = topology.kind === 'replica set' ? await findAilingMembers(inspected) : [];
  if (ailing.length > 0)
    return warn(
      `${describeTopology(topology)} accepts writes, but of its members ${ailing
        .map(({ host, state }) => `${host} is ${state}`)
        .join(', ')}.`,
      'Restore them before another member fails; see rs.status() in mongosh.',
      { ...details, ailing: ailing.map(({ host, state }) => `${host}: ${state}`) },
    );
  return ok(`${describeTopology(topology)} accepts writes.`, details);
};

const describeTopology = (topology: Topology): string => {
  if (topology.kind !== 'replica set') return `The ${topology.kind}`;
  const { name, members } = topology;
  return `The replica set ${name} (${members.length === 1 ? '1 member' : `${members.length} members`})`;
};

/** Every change waits this long. */
const SLOW_WRITE_MS = 500;

/** A majority of the members confirms writes; without it, every change is refused with 503. */
export const checkMajority: Check = async ({ database, clocks }) => {
  const inspected = await database();
  const { topology, isWritable } = await readServer(inspected);
  if (topology.kind === 'single server' || !isWritable)
    throw new CheckSkipped('No primary; see topology.');
  const tookMs = await confirmMajority(inspected, clocks);
  if (tookMs === undefined)
    return fail(
      'The writes of the primary are not confirmed: no majority of the members is available.',
      'Bring the other data-bearing members back; rs.status() in mongosh shows which are down.',
    );
  const details = { confirmed_in_ms: Math.round(tookMs) };
  const message = `A majority confirmed a write in ${roughDuration(tookMs)}.`;
  if (tookMs <= SLOW_WRITE_MS) return ok(message, details);
  return warn(
    message,
    'Find the lagging member: rs.printSecondaryReplicationInfo() in mongosh.',
    details,
  );
};

/** The limit of the embedded database. */
const MAX_TRANSACTION_S = 15;

const SET_LIMIT =
  `Set it on every member: db.adminCommand({setParameter: 1, transactionLifetimeLimitSeconds: ${MAX_TRANSACTION_S}}) in ` +
  `mongosh, and setParameter.transactionLifetimeLimitSeconds: ${MAX_TRANSACTION_S} in mongod.conf.`;

/**
 * After a kill -9, an open transaction blocks its tenant until it reaches this age, unless another
 * gateway aborts it (reliability.md 4).
 */
export const checkTransactions: Check = async ({ database }) => {
  const inspected = await database();
  const { topology } = await readServer(inspected);
  if (topology.kind === 'sharded cluster')
    return skip('Not checked: the limit for open transactions is set on the shards.', SET_LIMIT);
  return evaluateLimit(await readTransactionLimit(inspected));
};

const evaluateLimit = (seconds: number | undefined): CheckResult => {
  if (seconds === undefined)
    return warn(
      'Cannot read the limit for open transactions: the database user lacks the permission.',
      `Grant it the role clusterMonitor on admin, or check the limit yourself. ${SET_LIMIT}`,
    );
  const details = { transaction_lifetime_limit_seconds: seconds };
  const message = `Transactions left open by a crash are aborted after ${seconds} s`;
  if (seconds <= MAX_TRANSACTION_S) return ok(`${message}.`, details);
  return warn(`${message}; until then, their tenants wait.`, SET_LIMIT, details);
};

/** All required indexes exist. */
export const checkIndexes: Check = async ({ database }) => {
  const { isFresh, declared, missing, different } = await findIndexGaps(await database());
  if (isFresh)
    return skip('No gateway has used this database yet; the first start creates the indexes.');
  const gaps = [...missing, ...different];
  if (gaps.length === 0) return ok(`All ${declared} indexes exist.`, { declared });
  const message = [
    ...gapText('Missing', missing),
    ...gapText('Different from their definition', different),
  ].join(' ');
  const details = {
    declared,
    missing: missing.map(indexName),
    different: different.map(indexName),
  };
  if (gaps.some(({ isUnique }) => isUnique)) return fail(message, CREATE_INDEXES, details);
  return warn(message, CREATE_INDEXES, details);
};

const CREATE_INDEXES =
  'Restart a gateway: it creates missing indexes. Drop those that differ first. If a unique index ' +
  'cannot be created, remove the duplicates.';

const indexName = ({ name }: IndexGap): string => name;

const gapText = (title: string, gaps: readonly IndexGap[]): readonly string[] =>
  gaps.length === 0 ? [] : [`${title}: ${gaps.map(indexName).join(', ')}.`];

const MAX_SKEW_MS = 2_000;

/** The clocks of gateway and database agree: receivers refuse signed requests whose timestamp is off. */
export const checkClock: Check = async ({ database, clocks }) => {
  const { aheadMs } = await timeServer(await database(), clocks);
  const skewMs = Math.abs(aheadMs);
  const details = { database_ahead_ms: Math.round(aheadMs) };
  if (skewMs < MAX_SKEW_MS)
    return ok(`The clocks of gateway and database differ by ${roughDuration(skewMs)}.`, details);
  return warn(
    `The database's clock is ${roughDuration(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
    'Synchronise both with NTP (timedatectl set-ntp true, or chronyd).',
    details,
  );
};
