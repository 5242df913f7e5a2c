import { readServer } from '../../store/inspect/read-server.js';
import { readTransactionLimit } from '../../store/inspect/read-transaction-limit.js';
import { type Check, ok, skip, type Verdict, warn } from '../verdict.js';

/** What the embedded database is started with. */
const LONGEST_S = 15;

const SET_IT =
  `On every member: db.adminCommand({setParameter: 1, transactionLifetimeLimitSeconds: ${LONGEST_S}}) in ` +
  `mongosh, and setParameter.transactionLifetimeLimitSeconds: ${LONGEST_S} in mongod.conf.`;

/**
 * After a kill -9 an open transaction holds up its tenant until it is this old, where no other
 * gateway is there to end it (reliability.md 4).
 */
export const checkTransactions: Check = async ({ database }) => {
  const inspected = await database();
  const { topology } = await readServer(inspected);
  if (topology.kind === 'sharded cluster')
    return skip('Only the shards know how long an open transaction may live.', SET_IT);
  return judge(await readTransactionLimit(inspected));
};

const judge = (seconds: number | undefined): Verdict => {
  if (seconds === undefined)
    return warn(
      'How long an open transaction may live was not told: this user may not ask.',
      `Let it (role clusterMonitor on admin), or see to it yourself. ${SET_IT}`,
    );
  const details = { transaction_lifetime_limit_seconds: seconds };
  const message = `A transaction that a crash leaves open ends after ${seconds} s`;
  if (seconds <= LONGEST_S) return ok(`${message} at the latest.`, details);
  return warn(`${message}: so long may its tenant have to wait.`, SET_IT, details);
};
