import type mongoose from 'mongoose';
import { watchJobs } from './watch-jobs.js';

interface StoredEvent {
  readonly _id: string;
  readonly seq: number;
  readonly name: string;
  readonly data: { readonly user?: { readonly id: string } };
}

/** What the database holds of the large group, read past the gateway. */
export const readGroupStock = (database: mongoose.mongo.Db, tenant: string) => {
  const events = database.collection<StoredEvent>('events');
  const others = { name: { $not: /^user\./ } };
  const ofTenant = { tenant } as object;

  return {
    ...watchJobs(database, tenant),
    /** Events of the group and its members. */
    eventsSince: () => events.countDocuments({ ...ofTenant, ...others }),
    /** What is not as it has to be when the group is gone. */
    faults: async (ids: readonly string[]): Promise<string[]> => {
      const faults: string[] = [];
      const left = await database.collection('memberships').countDocuments(ofTenant);
      if (left > 0) faults.push(`${left} memberships are left`);
      const came = new Map<string, number>();
      const went = new Map<string, number>();
      let seq = 0;
      for await (const event of events.find(ofTenant).sort({ seq: 1 })) {
        if (event.seq !== (seq += 1)) faults.push(`place ${seq} of the log is missing`);
        const count = event.name === 'room.member_added' ? came : went;
        const user = event.data.user?.id;
        if (event.name.startsWith('room.') && user !== undefined)
          count.set(user, (count.get(user) ?? 0) + 1);
      }
      for (const id of ids) {
        if (came.get(id) !== 1) faults.push(`${id} came ${came.get(id) ?? 0} times`);
        if (went.get(id) !== 1) faults.push(`${id} went ${went.get(id) ?? 0} times`);
      }
      return faults;
    },
  };
};
