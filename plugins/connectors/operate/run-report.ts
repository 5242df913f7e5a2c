import { csvOf } from '../../../src/plugin/api.js';
import { isPast } from '../run/apply-plan.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { FIRST_LEAVER } from '../run/plan-store.js';
import type { RunRecord } from '../run/run-record.js';
import { changeLines } from './plan-html.js';
import { type ItemView, itemView } from './views.js';

/** A page of a plan, with what became of each item. */
export const readPlan = async (
  store: ConnectorStore,
  run: RunRecord,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<{ readonly items: readonly ItemView[]; readonly next: string | null }> => {
  const { items: total = 0, leavers = 0 } = run.plan ?? {};
  const others = total - leavers;
  const isOther = from < others;
  const start = isOther ? from : FIRST_LEAVER + from - others;
  const left = (isOther ? others : total) - from;
  const items = left > 0 ? await store.items(run.id, start, Math.min(limit, left)) : [];
  const outcomes = await store.outcomesAt(
    run.id,
    items.map(({ index }) => index),
  );
  const progress = await store.progress(run.id);
  const placeOf = (index: number) => (isOther ? index : others + index - FIRST_LEAVER);
  const last = items.at(-1);
  const next = last && placeOf(last.index) + 1 < total ? placeOf(last.index) : null;
  return {
    items: items
      .filter(({ item }) => item.kind !== 'touch' || item.warnings)
      .map(({ index, item }) =>
        itemView(placeOf(index), item, {
          outcome: outcomes.get(index),
          isReached:
            run.state === 'done' || (run.plan !== null && isPast(index, run.plan, progress)),
        }),
      ),
    next: next === null ? null : String(next),
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

const PAGE = 500;

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
    const { items, next } = await readPlan(store, run, { from, limit: PAGE });
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
