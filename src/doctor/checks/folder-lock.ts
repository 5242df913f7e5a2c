import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findHolder, type FoundHolder } from '../../store/embedded/data-folder-lock.js';
import { findServingMongod } from '../../store/embedded/serving-mongod.js';
import { isAbsence, notOurs } from '../not-ours.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';

/** Who uses the data folder: one gateway with its mongod, or nobody. */
export const checkFolderLock: Check = async ({ isEmbedded, dataDir }) => {
  if (!isEmbedded()) return skip('Only the embedded database locks its folder.');
  const folder = dataDir();
  if (await isAbsent(folder)) return ok(`Nobody uses ${folder}.`);
  const holder = await findHolder(folder).catch((error: unknown) => notOurs(folder, error));
  if (holder?.original !== undefined) return judgeCopy(folder, holder, holder.original);
  const mongod = (await findServingMongod(join(folder, 'db')))?.pid;
  return judge(folder, { gateway: holder?.pid, mongod });
};

const judgeCopy = (folder: string, { pid }: FoundHolder, original: string): Verdict =>
  fail(
    `${folder} is a copy of ${original}, made while a gateway (process ${pid}) used that.`,
    'Its database may be damaged: restore a copy that was made while none used it, or a snapshot. ' +
      'Of a snapshot, delete the file rollgate-….lock in it.',
    { path: folder, original, gateway_pid: pid },
  );

interface Users {
  readonly gateway: number | undefined;
  readonly mongod: number | undefined;
}

const judge = (folder: string, { gateway, mongod }: Users): Verdict => {
  const details = { path: folder, gateway_pid: gateway ?? null, mongod_pid: mongod ?? null };
  if (gateway === undefined && mongod === undefined) return ok(`Nobody uses ${folder}.`, details);
  if (gateway === undefined)
    return warn(
      `A mongod (process ${mongod ?? 0}) that a killed gateway left behind serves ${folder}.`,
      'It ends by itself within seconds; the next start ends it otherwise.',
      details,
    );
  if (mongod === undefined)
    return warn(
      `A gateway (process ${gateway}) holds ${folder}, but no mongod serves it.`,
      `It is starting, or its mongod fails: ${join(folder, 'mongod.log')} tells.`,
      details,
    );
  return ok(
    `A gateway (process ${gateway}) uses ${folder}, with its mongod (process ${mongod}).`,
    details,
  );
};

const isAbsent = (folder: string): Promise<boolean> => stat(folder).then(() => false, isAbsence);
