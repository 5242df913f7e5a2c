import type { JsonObject } from '../../../src/plugin/api.js';
import type { IsoDate } from '../iso-date.js';
import { Documents, expiryIn, nineDigits, type StoreParts } from './documents.js';

/** Staged records are of no use after their run. */
const STAGE_DAYS = 7;

/** A record as it was read, or that it could not be, or that it was deleted. */
export type Staged = {
  readonly sourceId: string;
  /** Where in the read it came, to find repetitions. */
  readonly segment: number;
} & (
  | { readonly kind: 'record'; readonly data: JsonObject; readonly hash: string }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'tombstone' }
);

/** Records of a complete read for which nothing is to be done. */
export interface UnchangedPage {
  /** Counts the pages of the run. */
  readonly index: number;
  readonly segment: number;
  /** They need nothing on this day; on another one, their dates may have come. */
  readonly day: IsoDate;
  readonly ids: readonly string[];
  /** The mapped fields without a value in any of them. */
  readonly empty: readonly string[];
}

/** Pages of up to 500 ids. */
const UNCHANGED_AT_ONCE = 10;
const unchangedPrefix = (runId: string): string => `${runId}=`;

/** What runs have read. */
export const createStageStore = ({ collection, tenantId, now, guard }: StoreParts) => {
  const parts = { collection: collection('stage'), tenantId, guard };
  const expiresAt = expiryIn(STAGE_DAYS, now);
  const ofStage = (runId: string) => ({
    ...parts,
    prefix: `${runId}:`,
    nameOf: ({ sourceId }: Pick<Staged, 'sourceId'>) => sourceId,
    expiresAt,
  });
  const staged = (runId: string) => new Documents<Staged>(ofStage(runId));
  const unchanged = (runId: string) =>
    new Documents<UnchangedPage>({
      ...parts,
      prefix: unchangedPrefix(runId),
      nameOf: ({ index }) => nineDigits(index),
      expiresAt,
    });

  return {
    /** What a run has read. */
    staged,
    /** Which records a run has read, and where. */
    stagedIds: (runId: string) =>
      new Documents<Pick<Staged, 'sourceId' | 'segment'>>({
        ...ofStage(runId),
        fields: ['sourceId', 'segment'],
      }),
    /** What a run has read and not staged, because nothing is to be done. */
    unchangedPages: (runId: string) => unchanged(runId).pages(UNCHANGED_AT_ONCE),
    putUnchanged: (runId: string, page: UnchangedPage) => unchanged(runId).add([page]),
    stage: (runId: string, records: readonly Staged[]) =>
      parts.collection.put(
        tenantId,
        [
          // Follows all staged records of the run. For minutes, MongoDB keeps deleted keys in the
          // index; without this one, each record would be compared with all those that the run
          // before had staged.
          { key: `${runId};`, value: {}, expiresAt: expiresAt() },
          ...staged(runId).toStore(records, () => true),
        ],
        guard,
      ),
    clearStage: async (runId: string) => {
      for (const prefix of [`${runId}:`, unchangedPrefix(runId)])
        await parts.collection.clear(tenantId, prefix, guard);
    },
  };
};
