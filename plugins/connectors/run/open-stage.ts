import type { IsoDate } from '../iso-date.js';
import { todayIn } from '../lifecycle.js';
import { createFieldWatch } from '../guard/field-losses.js';
import { unchangedAmong } from '../plan/unchanged-records.js';
import type { Attempt } from './attempt.js';
import type { Staged, UnchangedPage } from './stage-store.js';
import { createIdSet } from '../id-set.js';

/** Where a run stores what it reads, until it is planned. */
export interface Stage {
  /** Returns how many of the records had come before in this read. */
  readonly write: (records: readonly Staged[]) => Promise<number>;
}

type StagedRecord = Extract<Staged, { kind: 'record' }>;

/** `segment`: where the read begins. An attempt that was interrupted may have read further. */
export const openStage = async (attempt: Attempt, segment: number): Promise<Stage> => {
  const { store, run } = attempt;
  if (run.mode !== 'delta') return CompleteStage.open(attempt, segment);
  return {
    // In a delta, a record may change twice; the last one counts.
    write: async (records) => {
      if (records.length > 0) await store.stage(run.id, records);
      return 0;
    },
  };
};

/**
 * Of most records of a complete read, nothing has changed. Only that they were read is stored of them:
 * a document for a page, instead of one for each.
 */
class CompleteStage implements Stage {
  readonly #seen = createIdSet();
  /** Read after the checkpoint, so most likely once more: no repetition. */
  readonly #readBefore = createIdSet();
  #unchangedPages = 0;

  private constructor(private readonly attempt: Attempt) {}

  static async open(attempt: Attempt, segment: number): Promise<Stage> {
    const stage = new CompleteStage(attempt);
    const { store, run } = attempt;
    if (run.attempt <= 1) return stage;
    for await (const page of store.stagedIds(run.id).pages())
      for (const one of page)
        (one.segment < segment ? stage.#seen : stage.#readBefore).add(one.sourceId);
    for await (const pages of store.unchangedPages(run.id))
      for (const page of pages) {
        stage.#unchangedPages = page.index + 1;
        if (page.segment < segment) for (const id of page.ids) stage.#seen.add(id);
      }
    return stage;
  }

  async write(records: readonly Staged[]): Promise<number> {
    const { store, run } = this.attempt;
    const first: Staged[] = [];
    const again: Staged[] = [];
    for (const one of records) (this.#seen.add(one.sourceId) ? first : again).push(one);
    const staged = [...(await this.#withoutUnchanged(first)), ...(await this.#withEarlier(again))];
    if (staged.length > 0) await store.stage(run.id, staged);
    return again.length;
  }

  /** Those can be left out of which an earlier attempt has not stored another state. */
  async #withoutUnchanged(records: readonly Staged[]): Promise<readonly Staged[]> {
    const { store, run, compiled, now } = this.attempt;
    if (run.mode !== 'full') return records;
    const today = todayIn(compiled.lifecycle, now());
    const readable = records.filter(
      (one): one is StagedRecord => one.kind === 'record' && !this.#readBefore.has(one.sourceId),
    );
    const ids = await unchangedAmong(readable, { ...this.attempt, today });
    if (ids.size === 0) return records;
    const unchanged = readable.filter(({ sourceId }) => ids.has(sourceId));
    await store.putUnchanged(run.id, this.#pageOf(unchanged, today));
    return records.filter(({ sourceId }) => !ids.has(sourceId));
  }

  #pageOf(records: readonly StagedRecord[], day: IsoDate): UnchangedPage {
    const fields = createFieldWatch(this.attempt.compiled.named);
    for (const { data } of records) fields.read(data);
    this.#unchangedPages += 1;
    return {
      ...{ index: this.#unchangedPages - 1, day },
      segment: Math.max(...records.map((one) => one.segment)),
      ids: records.map(({ sourceId }) => sourceId),
      empty: fields.losses().empty,
    };
  }

  /** With what this read has brought before. */
  async #withEarlier(records: readonly Staged[]): Promise<readonly Staged[]> {
    const { store, run } = this.attempt;
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
  }
}

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
