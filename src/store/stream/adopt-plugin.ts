import { MAJORITY_WRITE } from '../concerns.js';
import type { Collections } from '../tables/collections.js';
import { cursorIdOf } from '../tables/deliveries.js';

type CursorCollections = Pick<Collections, 'cursors' | 'tenantState' | 'streamPartitions'>;

/** The ends of all logs. */
export const readHeads = ({ tenantState }: Pick<CursorCollections, 'tenantState'>) =>
  tenantState
    .find({ deleted: { $ne: true } }, { projection: { seq: 1, pluginVersions: 1 } })
    .toArray();

/**
 * When a plugin subscribes for the first time: the log so far is not for it, in any tenant. Nothing
 * if it has subscribed before. `isRepeated`: until nothing fails, while no gateway serves it (the
 * upgrade); gateways of an earlier version may have sent more of the log since the last time.
 */
export const adoptPlugin = async (
  { cursors, tenantState, streamPartitions }: CursorCollections,
  plugin: string,
  { isRepeated = false } = {},
): Promise<void> => {
  const mark = { _id: `plugin:${plugin}` };
  if (!isRepeated && (await streamPartitions.findOne(mark))) return;
  const bases = (await readHeads({ tenantState })).map(({ _id: tenant, seq }) => ({
    updateOne: {
      filter: { _id: cursorIdOf(plugin, tenant) },
      update: isRepeated
        ? {
            $setOnInsert: { plugin, tenant, token: 0, keys: [] },
            $max: { base: seq, low: seq },
          }
        : { $setOnInsert: { plugin, tenant, base: seq, token: 0, low: seq, keys: [] } },
      upsert: true,
    },
  }));
  if (bases.length > 0) await cursors.bulkWrite(bases, { ordered: false, ...MAJORITY_WRITE });
  await streamPartitions.updateOne(
    mark,
    { $setOnInsert: { token: 0 } },
    { upsert: true, ...MAJORITY_WRITE },
  );
};
