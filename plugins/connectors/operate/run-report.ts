import { csvOf } from '../../../src/plugin/api.js';
import { classOf, type PlanClass } from '../plan/plan-item.js';
import { isPast } from '../run/apply-plan.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { PAGE } from '../run/documents.js';
import { FIRST_LEAVER, type IndexedItem } from '../run/plan-store.js';
import type { RunRecord } from '../run/run-record.js';
import { changeLines } from './plan-html.js';
import { type ItemView, itemView } from './views.js';

/** Which items of a plan to read. */
interface PlanPage {
  readonly from: number;
  readonly limit: number;
  /** Only these. */
  readonly of?: PlanClass | undefined;
  readonly signal: AbortSignal;
}

/** A page of a plan, with what became of each item. */
export const readPlan = async (
  store: ConnectorStore,
  run: RunRecord,
  { from, limit, of, signal }: PlanPage,
): Promise<{ readonly items: readonly ItemView[]; readonly next: string | null }> => {
  const { items: total = 0, leavers = 0 } = run.plan ?? {};
  const others = total - leavers;
  const placeOf = (index: number) => (index < FIRST_LEAVER ? index : others + index - FIRST_LEAVER);
  const isShown = ({ item }: IndexedItem): boolean =>
    (item.kind !== 'touch' || item.warnings !== undefined) &&
    (of === undefined || classOf(item) === of);
  const found: IndexedItem[] = [];
  // One more shows whether there is another page.
  for (let place = from; place < total && found.length <= limit;) {
    signal.throwIfAborted();
    const [start, end] = place < others ? [place, others] : [FIRST_LEAVER + place - others, total];
    const most = of === undefined ? limit + 1 : PAGE;
    const items = await store.items(run.id, start, Math.min(most, end - place));
    found.push(...items.filter(isShown));
    const last = items.at(-1);
    place = last ? placeOf(last.index) + 1 : total;
  }
  const shown = found.slice(0, limit);
  const outcomes = await store.outcomesAt(
    run.id,
    shown.map(({ index }) => index),
  );
  const progress = await store.progress(run.id);
  const last = shown.at(-1);
  return {
    items: shown.map(({ index, item }) =>
      itemView(placeOf(index), item, {
        outcome: outcomes.get(index),
        isReached: run.state === 'done' || (run.plan !== null && isPast(index, run.plan, progress)),
      }),
    ),
    next: last && found.length > limit ? String(placeOf(last.index)) : null,
  };
};

/** A line of a report. */
type Line = Pick<ItemView, 'record' | 'name' | 'user_id' | 'why' | 'code' | 'message'> & {
  readonly kind: string;
  readonly outcome: string;
  readonly changes: string;
};

const csv = csvOf<Line>([
  ['record', ({ record }) => record],
  ['name', ({ name }) => name],
  ['user_id', ({ user_id: id }) => id],
  ['action', ({ kind }) => kind],
  ['outcome', ({ outcome }) => outcome],
  ['changes', ({ changes }) => changes],
  ['why', ({ why }) => why],
  ['error', ({ code }) => code],
  ['message', ({ message }) => message],
]);

const lineOfItem = (item: ItemView): string =>
  csv.lineOf({ ...item, changes: [...changeLines(item), ...item.warnings].join('; ') });

/** Page by page, so that a run of any size is never in memory. */
export async function* reportOf(
  store: ConnectorStore,
  run: RunRecord,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield csv.header;
  const failed = new Set<string>();
  for (let from: number | undefined = 0; from !== undefined;) {
    signal.throwIfAborted();
    const { items, next } = await readPlan(store, run, { from, limit: PAGE, signal });
    for (const { outcome, record } of items) if (outcome === 'failed') failed.add(record);
    yield items.map(lineOfItem).join('');
    from = next === null ? undefined : Number(next) + 1;
  }
  // Records that failed before anything could be planned for them.
  for (let after: string | undefined; ;) {
    signal.throwIfAborted();
    const records = await store.quarantine.list(PAGE, after);
    yield records
      .filter(({ runId, sourceId }) => runId === run.id && !failed.has(sourceId))
      .map(({ sourceId, label, code, message }) =>
        csv.lineOf({
          ...{ record: sourceId, name: label, user_id: null, code, message },
          ...{ kind: '', outcome: 'failed', changes: '', why: '' },
        }),
      )
      .join('');
    if (records.length < PAGE) return;
    after = records.at(-1)?.sourceId;
  }
}
