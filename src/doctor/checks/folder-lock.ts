import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findHolder, type FoundHolder } from '../../store/embedded/data-folder-lock.js';
import { findServingMongod } from '../../store/embedded/running-process.js';
import { inaccessible, isMissing } from '../reason-of.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

/** The data folder is used by one gateway with its mongod, or not at all. */
export const checkFolderLock: Check = async ({ isEmbedded, dataDir }) => {
  if (!isEmbedded()) return skip('Not checked: the database is not embedded.');
  const folder = dataDir();
  if (await doesNotExist(folder)) return ok(`${folder} is not in use.`);
  const holder = await findHolder(folder).catch((error: unknown) => inaccessible(folder, error));
  if (holder?.original !== undefined) return evaluateCopy(folder, holder, holder.original);
  const mongod = (await findServingMongod(join(folder, 'db')))?.pid;
  return evaluate(folder, { gateway: holder?.pid, mongod });
};

const evaluateCopy = (folder: string, { pid }: FoundHolder, original: string): CheckResult =>
  fail(
    `${folder} is a copy of ${original}, made while a gateway (process ${pid}) was using it.`,
    'Its database may be damaged. Restore a copy made while no gateway was running, or a snapshot; ' +
      'in a snapshot, delete the file rollgate-….lock.',
    { path: folder, original, gateway_pid: pid },
  );

interface Users {
  readonly gateway: number | undefined;
  readonly mongod: number | undefined;
}

const evaluate = (folder: string, { gateway, mongod }: Users): CheckResult => {
  const details = { path: folder, gateway_pid: gateway ?? null, mongod_pid: mongod ?? null };
  if (gateway === undefined && mongod === undefined) return ok(`${folder} is not in use.`, details);
  if (gateway === undefined)
    return warn(
      `A mongod (process ${mongod ?? 0}) left behind by a killed gateway is using ${folder}.`,
      'It stops within seconds. If not, the next start stops it.',
      details,
    );
  if (mongod === undefined)
    return warn(
      `A gateway (process ${gateway}) has locked ${folder}, but no mongod is running.`,
      `It is starting, or its mongod fails: see ${join(folder, 'mongod.log')}.`,
      details,
    );
  return ok(
    `A gateway (process ${gateway}) with its mongod (process ${mongod}) is using ${folder}.`,
    details,
  );
};

const doesNotExist = (folder: string): Promise<boolean> =>
  stat(folder).then(() => false, isMissing);
