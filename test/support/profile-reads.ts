import type { Collections } from '../../src/store/tables/collections.js';

/** A query, as the database's profiler recorded it. */
export interface ProfiledRead {
  readonly ns: string;
  readonly command: object;
  readonly planSummary: string;
  readonly keysExamined: number;
  readonly docsExamined: number;
}

/** What the database did for a read, according to its profiler. */
export const profileReads = async (
  { database }: Pick<Collections, 'database'>,
  read: () => Promise<unknown>,
): Promise<readonly ProfiledRead[]> => {
  const profiled = database.collection<ProfiledRead>('system.profile');
  await database.command({ profile: 0 });
  await profiled.drop().catch(() => undefined);
  await database.command({ profile: 2 });
  await read();
  await database.command({ profile: 0 });
  return profiled
    .find({ op: { $in: ['query', 'command'] }, planSummary: { $exists: true } })
    .toArray();
};
