import type { Link } from '../link.js';
import { ownersOf } from '../identify/identify.js';
import type { FormerRecord } from '../identify/identities.js';
import { deferralOf } from '../plan/plan-ending.js';
import type { PlanItem } from '../plan/plan-item.js';
import {
  type Applied,
  applyItem,
  type ApplyParts,
  type Failed,
  GETS_USER,
  SKIPPED,
  type Stored,
} from './apply-item.js';
import type { IndexedItem, ItemOutcome } from './plan-store.js';
import { quarantineOf } from './quarantine.js';

/** Each has two documents, and one write takes up to 1,000. */
export const PAGE = 400;

export interface PageResult {
  readonly links: readonly Link[];
  readonly applied: number;
  readonly failed: number;
  readonly unmetManagers?: number;
  readonly isCut?: boolean;
  /** Writes what belongs to it besides its links. */
  readonly before: () => Promise<void>;
}

export type ApplyPage = (parts: ApplyParts, page: readonly IndexedItem[]) => Promise<PageResult>;

export interface ItemResult extends IndexedItem {
  readonly result: Applied;
}

export const applyPage: ApplyPage = async (parts, page) => {
  const stored = await storedFor(page, parts);
  const results = await inParallel(page, async ({ index, item }): Promise<ItemResult> => ({
    index,
    item,
    result: parts.stop.aborted ? SKIPPED : await applyItem(item, stored, parts),
  }));
  return pageResult(results, stored, parts);
};

export const storedFor = async (
  page: readonly IndexedItem[],
  { store, managers }: ApplyParts,
): Promise<Stored> => {
  const wanted = page.flatMap(
    ({ item: { kind, userId } }) => (GETS_USER.has(kind) && userId) || [],
  );
  const ids = [...new Set(page.map(({ item }) => item.sourceId))];
  const [links, waiting] = [await store.links.many(ids), await store.quarantine.many(ids)];
  const replaced = await store.linksOfOwners(page.flatMap(({ item }) => item.replaces ?? []));
  const refs = page.flatMap(({ item: { kind, manager } }) => (kind === 'create' && manager) || []);
  const owners = await ownersOf(wanted, { store });
  return { links, waiting, replaced, owners, managers: await managers.find(refs) };
};

export const pageResult = (
  results: readonly ItemResult[],
  stored: Stored,
  parts: ApplyParts,
): PageResult => {
  const { store, run, now } = parts;
  const written: Link[] = [];
  const ended: FormerRecord[] = [];
  const outcomes: ItemOutcome[] = [];
  const failures: { readonly item: PlanItem; readonly failed: Failed }[] = [];
  const released: string[] = [];
  let applied = 0;
  for (const { index, item, result } of results) {
    const { sourceId } = item;
    if (result.kind === 'applied') {
      written.push(result.link);
      if (item.replaces) ended.push(item.replaces);
      if (item.isRetry) released.push(sourceId);
      if (result.changed) applied += 1;
      if (result.warnings.length > 0)
        outcomes.push(appliedOutcome(index, item, result.warnings.join(' ')));
      continue;
    }
    const code = result.kind === 'failed' ? result.code : null;
    outcomes.push({ index, sourceId, outcome: result.kind, code, message: result.message });
    if (result.kind === 'skipped') continue;
    written.push(...deferFormer(item, stored, parts));
    if (result.kind === 'stale') continue;
    failures.push({ item, failed: result });
    const link = stored.links.get(sourceId);
    // It was read all the same, so it is not missing again and again.
    if (link && link.missing > item.after.missing)
      written.push({ ...link, missing: 0, missingIn: [] });
  }
  const before = async (): Promise<void> => {
    await store.putOutcomes(run.id, outcomes);
    const earlier = await store.quarantine.many(failures.map(({ item }) => item.sourceId));
    await store.quarantine.put(
      failures.map(({ item: { sourceId, label, after }, failed: { code, message } }) =>
        quarantineOf({
          ...{ sourceId, label, code, message, hash: after.hash, data: after.data },
          before: earlier.get(sourceId),
          runId: run.id,
          now: now(),
        }),
      ),
    );
    await store.quarantine.delete(released);
    for (const { connector, sourceId } of ended) await store.linksOf(connector).delete([sourceId]);
  };
  const isCut = results.some(({ result }) => result.kind === 'skipped');
  return { links: written, applied, failed: failures.length, isCut, before };
};

/**
 * The record that the user was to be taken from has ended, and its end is not read again: it is put off,
 * and not forgotten.
 */
const deferFormer = (
  { sourceId, why, replaces }: PlanItem,
  { replaced }: Stored,
  { gateway, compiled, run, now }: ApplyParts,
): readonly Link[] => {
  if (replaces?.connector !== gateway.connector) return [];
  const former = replaced.get(`${replaces.connector}:${replaces.sourceId}`);
  const isOpen = former && former.state !== 'left' && former.rev === replaces.rev;
  if (!isOpen || former.deferred) return [];
  const claim = { sourceId, why: 'was to take over the user' };
  const deferred = deferralOf(claim, why, { compiled, runId: run.id, now: now() });
  // Of another revision: an older plan says nothing of it any more.
  return [{ ...former, ...replaces.read, rev: former.rev + 1, deferred }];
};

export const appliedOutcome = (
  index: number,
  { sourceId }: PlanItem,
  message: string | null,
): ItemOutcome => ({ index, sourceId, outcome: 'applied', code: null, message });

/** As many as the gateway takes from a tenant at once; the others can still be skipped. */
const IN_PARALLEL = 200;

/** After an error nothing more begins, and what has begun ends first. */
const inParallel = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) {
      if (errors.length > 0) return;
      try {
        results[at] = await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
};
