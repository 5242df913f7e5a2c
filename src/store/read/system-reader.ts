import type * as mongo from 'mongodb';
import type { SystemDatabase, SystemInstance } from '../../ports/system.js';
import { guarded } from '../database-errors.js';
import { isSupported } from '../connect.js';
import type { Collections } from '../tables/collections.js';

/** The gateways and the database, for operators. */
export interface SystemReader {
  readonly instances: () => Promise<readonly SystemInstance[]>;
  readonly database: () => Promise<SystemDatabase>;
}

const MAX_TIME_MS = 2_000;

export const mongoSystemReader = ({ instances, client }: Collections): SystemReader => {
  const run = (command: mongo.BSON.Document): Promise<mongo.BSON.Document> =>
    client.db('admin').command(command, { timeoutMS: MAX_TIME_MS });
  return guarded<SystemReader>({
    instances: async () => {
      const found = await instances.find().sort({ startedAt: 1, _id: 1 }).toArray();
      return found.map(({ _id, host = null, version = null, startedAt, heartbeatAt }) => ({
        id: _id,
        host,
        version,
        startedAt,
        heartbeatAt,
      }));
    },
    database: async () => {
      const startedAt = performance.now();
      const { setName, hosts, passives, arbiters } = (await run({ hello: 1 })) as {
        readonly setName?: string;
        readonly hosts?: readonly string[];
        readonly passives?: readonly string[];
        readonly arbiters?: readonly string[];
      };
      const pingMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const version = String((await run({ buildInfo: 1 }))['version']);
      return {
        version,
        isSupported: isSupported(version),
        replicaSet: setName ?? null,
        members: [...(hosts ?? []), ...(passives ?? []), ...(arbiters ?? [])],
        pingMs,
      };
    },
  });
};
