import { readServer, readTransactionLimit } from '../../store/inspect/read-server.js';
import { type Check, type CheckResult, ok, skip, warn } from '../check-result.js';

/** The limit of the embedded database. */
const MAX_S = 15;

const SET_IT =
  `Set it on every member: db.adminCommand({setParameter: 1, transactionLifetimeLimitSeconds: ${MAX_S}}) in ` +
  `mongosh, and setParameter.transactionLifetimeLimitSeconds: ${MAX_S} in mongod.conf.`;

/**
 * After a kill -9, an open transaction blocks its tenant until it reaches this age, unless another
 * gateway aborts it (reliability.md 4).
 */
export const checkTransactions: Check = async ({ database }) => {
  const inspected = await database();
  const { topology } = await readServer(inspected);
  if (topology.kind === 'sharded cluster')
    return skip('Not checked: the limit for open transactions is set on the shards.', SET_IT);
  return evaluate(await readTransactionLimit(inspected));
};

const evaluate = (seconds: number | undefined): CheckResult => {
  if (seconds === undefined)
    return warn(
      'Cannot read the limit for open transactions: the database user lacks the permission.',
      `Grant it the role clusterMonitor on admin, or check the limit yourself. ${SET_IT}`,
    );
  const details = { transaction_lifetime_limit_seconds: seconds };
  const message = `Transactions left open by a crash are aborted after ${seconds} s`;
  if (seconds <= MAX_S) return ok(`${message}.`, details);
  return warn(`${message}; until then, their tenants wait.`, SET_IT, details);
};
