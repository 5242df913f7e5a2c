import type { UserId } from '../../../src/plugin/api.js';
import type { PlanItem } from '../plan/plan-item.js';
import { type AddressMoves, type Move, orderMoves, wayBack } from './address-moves.js';
import {
  type Applied,
  applyItem,
  type ApplyParts,
  keyOf,
  patchOf,
  type Stored,
} from './apply-item.js';
import { appliedOutcome, type ItemResult, PAGE, pageResult, storedFor } from './apply-page.js';
import type { ApplyProgress, IndexedItem } from './plan-store.js';

/** Refusals that end as soon as another user gives up a name or an address. */
const CONFLICTS: ReadonlySet<string> = new Set(['EMAIL_TAKEN', 'USERNAME_TAKEN']);
/** Of one run: more of them are a broken source. */
const MAX_CONFLICTS = 2_000;

/** Before they wait for hours, those are tried again whose address is free now, or in turn. */
export const retryConflicts = async (
  parts: ApplyParts,
  before: ApplyProgress,
): Promise<ApplyProgress> => {
  const { store, gateway, run } = parts;
  let progress = before;
  const { mustGiveUp, moves } = await orderMoves(await findConflicts(parts), gateway);
  for (const { item } of mustGiveUp) await giveUpAddress(item, parts);
  const stored = await storedFor(moves, parts);
  const results = await moveInOrder(moves, stored, parts);
  const back = await takeBack({ mustGiveUp, moves, results }, parts);
  for (let from = 0; from < results.length; from += PAGE) {
    const page = results.slice(from, from + PAGE);
    const { links, applied, before: writeOthers } = pageResult(page, stored, parts);
    const moved = page.filter(({ result }) => result.kind === 'applied');
    progress = {
      ...progress,
      applied: progress.applied + applied,
      failed: progress.failed - moved.length,
    };
    await writeOthers();
    const returned = page.flatMap(({ item }) => {
      const link = back.has(item) ? stored.links.get(item.sourceId) : undefined;
      // The command has been carried out once: the next one needs another key.
      return link ? [{ ...link, rev: link.rev + 1 }] : [];
    });
    await store.putLinks(run.id, [...links, ...returned], progress);
    await store.putOutcomes(
      run.id,
      moved.map(({ index, item }) => appliedOutcome(index, item, null)),
    );
  }
  return progress;
};

/** One after another; what an earlier attempt of this run has applied stays. */
const moveInOrder = async (
  moves: readonly Move[],
  stored: Stored,
  parts: ApplyParts,
): Promise<ItemResult[]> => {
  const results: ItemResult[] = [];
  for (const { index, item } of moves) {
    parts.signal.throwIfAborted();
    const link = stored.links.get(item.sourceId);
    const isDone = link?.rev === item.rev + 1 && link.hash === item.after.hash;
    const result: Applied = isDone
      ? { kind: 'applied', link, changed: false, warnings: [] }
      : await applyItem(item, stored, parts);
    results.push({ index, item: { ...item, isRetry: true }, result });
  }
  return results;
};

interface Moved extends AddressMoves {
  /** In the order of the moves. */
  readonly results: ItemResult[];
}

/**
 * Gives those their address back who gave it up and did not get the other one: no user keeps a
 * temporary name. Returns the items that were undone for it.
 */
const takeBack = async (
  { mustGiveUp, moves, results }: Moved,
  parts: ApplyParts,
): Promise<ReadonlySet<PlanItem>> => {
  const undone = new Set<PlanItem>();
  const isApplied = (move: Move): boolean =>
    results[moves.indexOf(move)]?.result.kind === 'applied';
  for (const stranded of mustGiveUp) {
    if (isApplied(stranded)) continue;
    for (const move of wayBack(stranded, moves.filter(isApplied))) {
      const { userId, changes } = move.item;
      const given = changes.filter(({ attribute }) => ADDRESS.has(attribute));
      const values = given.map(({ attribute, before }) => [attribute, before] as const);
      const key = keyOf(move.item, `${parts.run.id}:take-back`);
      await parts.gateway.submit(key, patchOf(userId as UserId, values));
      const at = moves.indexOf(move);
      const moved = results[at];
      if (move === stranded || !moved) continue;
      const message = `The record ${stranded.item.sourceId} cannot change its address, so this one stays.`;
      results[at] = { ...moved, result: { kind: 'failed', code: 'EMAIL_TAKEN', message } };
      undone.add(moved.item);
    }
  }
  return undone;
};

const ADDRESS: ReadonlySet<string> = new Set(['userName', 'emails']);

/** The items that were refused because of a name or an address; after a crash they are found again. */
const findConflicts = async ({ store, run }: ApplyParts): Promise<readonly IndexedItem[]> => {
  const found: IndexedItem[] = [];
  for await (const page of store.outcomePages(run.id)) {
    const indexes = page.flatMap(({ index, code }) => (CONFLICTS.has(code ?? '') ? [index] : []));
    found.push(...(await store.itemsAt(run.id, indexes)));
    if (found.length >= MAX_CONFLICTS) break;
  }
  return found;
};

/** For a moment the user has no address, and their id is their user name. */
const giveUpAddress = async (item: PlanItem, { gateway, run }: ApplyParts): Promise<void> => {
  const { userId, changes } = item;
  if (userId === null) return;
  const given = [['userName', userId] as const, ['emails', null] as const];
  const values = given.filter(([name]) => changes.some(({ attribute }) => attribute === name));
  await gateway.submit(keyOf(item, `${run.id}:give-up`), patchOf(userId, values));
};
