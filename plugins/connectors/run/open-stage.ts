import type { IsoDate } from '../iso-date.js';
import { todayIn } from '../lifecycle.js';
import { createFieldWatch } from '../guard/field-losses.js';
import { unchangedAmong } from '../plan/unchanged-records.js';
import type { Attempt } from './attempt.js';
import type { Staged, UnchangedPage } from './stage-store.js';
import { createIdSet } from './id-set.js';

/** Where a run stores what it reads, until it is planned. */
interface Stage {
  /** Returns how many of the records had come before in this read. */
  readonly write: (records: readonly Staged[]) => Promise<number>;
}

type StagedRecord = Extract<Staged, { kind: 'record' }>;

/** `segment`: where the read begins. An attempt that was interrupted may have read further. */
export const openStage = async (attempt: Attempt, segment: number): Promise<Stage> => {
  const { store, run } = attempt;
  // In a delta, a record may change twice; the last one counts.
  if (run.mode === 'delta')
    return {
      write: async (records) => {
        if (records.length > 0) await store.stage(run.id, records);
        return 0;
      },
    };
  return openCompleteStage(attempt, segment);
};

/**
 * Of most records of a complete read, nothing has changed. Only that they were read is stored of them:
 * a document for a page, instead of one for each.
 */
const openCompleteStage = async (attempt: Attempt, segment: number): Promise<Stage> => {
  const { store, run, compiled, now } = attempt;
  const seen = createIdSet();
  /** Read after the checkpoint, so most likely once more: no repetition. */
  const readBefore = createIdSet();
  let unchangedPages = 0;
  const noteEarlier = async (): Promise<void> => {
    for await (const page of store.stagedIds(run.id).pages())
      for (const one of page) (one.segment < segment ? seen : readBefore).add(one.sourceId);
    for await (const pages of store.unchangedPages(run.id))
      for (const page of pages) {
        unchangedPages = page.index + 1;
        if (page.segment < segment) for (const id of page.ids) seen.add(id);
      }
  };
  if (run.attempt > 1) await noteEarlier();

  /** Those that can be left out: an earlier attempt has not stored another state of them. */
  const findUnchanged = async (records: readonly Staged[], today: IsoDate) => {
    if (run.mode !== 'full') return [];
    const readable = records.filter(
      (one): one is StagedRecord => one.kind === 'record' && !readBefore.has(one.sourceId),
    );
    const unchanged = await unchangedAmong(readable, { ...attempt, today });
    return readable.filter(({ sourceId }) => unchanged.has(sourceId));
  };

  const pageOf = (records: readonly StagedRecord[], day: IsoDate): UnchangedPage => {
    const fields = createFieldWatch(compiled.named);
    for (const { data } of records) fields.read(data);
    return {
      ...{ index: unchangedPages, day },
      segment: Math.max(...records.map((one) => one.segment)),
      ids: records.map(({ sourceId }) => sourceId),
      empty: fields.losses().empty,
    };
  };

  const writeNew = async (records: readonly Staged[]): Promise<readonly Staged[]> => {
    const today = todayIn(compiled.lifecycle, now());
    const unchanged = await findUnchanged(records, today);
    if (unchanged.length === 0) return records;
    await store.putUnchanged(run.id, pageOf(unchanged, today));
    unchangedPages += 1;
    const leftOut = new Set<Staged>(unchanged);
    return records.filter((one) => !leftOut.has(one));
  };

  /** With what this read has brought before. */
  const withEarlier = async (records: readonly Staged[]): Promise<readonly Staged[]> => {
    const ids = records.map(({ sourceId }) => sourceId);
    const staged = await store.staged(run.id).many(ids);
    const links = await store.linkStates.many(ids.filter((id) => !staged.has(id)));
    return records.flatMap((one) => {
      const earlier = staged.get(one.sourceId);
      if (earlier) return [bothOf(earlier, one)];
      // It was left out, so it is what its link says.
      const isSame = one.kind === 'record' && one.hash === links.get(one.sourceId)?.hash;
      return isSame ? [] : [differing(one)];
    });
  };

  return {
    write: async (records) => {
      const first: Staged[] = [];
      const again: Staged[] = [];
      for (const one of records) (seen.add(one.sourceId) ? first : again).push(one);
      const staged = [
        ...(first.length > 0 ? await writeNew(first) : []),
        ...(again.length > 0 ? await withEarlier(again) : []),
      ];
      if (staged.length > 0) await store.stage(run.id, staged);
      return again.length;
    },
  };
};

/** Two records with one id: which of them is the person cannot be known, unless they are the same. */
export const bothOf = (earlier: Staged, later: Staged): Staged => {
  // After a crash, it is still found before the repetition.
  const { segment } = earlier;
  const isSameRecord =
    earlier.kind === 'record' && later.kind === 'record' && earlier.hash === later.hash;
  if (isSameRecord || (earlier.kind === 'tombstone' && later.kind === 'tombstone'))
    return { ...later, segment };
  return differing({ ...later, segment });
};

const differing = ({ sourceId, segment }: Staged): Staged => ({
  ...{ sourceId, segment },
  kind: 'error',
  message: 'The id came more than once in this read, with different data.',
});
