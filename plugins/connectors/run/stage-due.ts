import { isStage, todayIn } from '../lifecycle.js';
import type { Link } from '../link.js';
import { readyManagers } from '../plan/find-managers.js';
import type { RecordInput } from '../record-input.js';
import type { Attempt } from './attempt.js';
import { inputOfQuarantined } from './plan-inputs.js';

/** Stages what a run plans although its source does not send it: dates have come, or a next try. */
export const stageDue = async (attempt: Attempt): Promise<void> => {
  const { store, run } = attempt;
  const pages = run.mode === 'dates' ? dueByDate(attempt) : dueAgain(attempt);
  for await (const due of pages) {
    const staged = await store.stagedIds(run.id).many(due.map(({ sourceId }) => sourceId));
    const missing = due.filter(({ sourceId }) => !staged.has(sourceId));
    const place = { segment: 0, kind: 'record' } as const;
    if (missing.length > 0)
      await store.stage(
        run.id,
        missing.map(({ sourceId, data, hash }) => ({ sourceId, data, hash, ...place })),
      );
  }
};

/**
 * What is stored and changes today by its dates. While a newer record waits in quarantine, no date of
 * the older one counts; that the newer one says that the person has left does.
 */
async function* dueByDate({
  store,
  compiled: { lifecycle },
  now,
}: Attempt): AsyncGenerator<readonly RecordInput[]> {
  const today = todayIn(lifecycle, now());
  for await (const states of store.linkStates.pages()) {
    const changing = states.filter(({ changesOn }) => changesOn !== null && changesOn <= today);
    const ids = changing.map(({ sourceId }) => sourceId);
    const links = await store.links.many(ids);
    const waiting = await store.quarantine.many(ids);
    yield [...links.values()].filter(
      ({ sourceId, hash }) => (waiting.get(sourceId)?.hash ?? hash) === hash,
    );
  }
  for await (const page of store.quarantine.pages()) {
    const links = await store.linkStates.many(page.map(({ sourceId }) => sourceId));
    yield page
      .filter(({ sourceId, hash, isIgnored }) => {
        const link = links.get(sourceId);
        return link !== undefined && link.state !== 'left' && link.hash !== hash && !isIgnored;
      })
      .flatMap(inputOfQuarantined)
      .filter(({ data }) => isStage('left', data, lifecycle, today));
  }
}

/** Records whose next try is due, and people whose manager has a user now. */
async function* dueAgain(attempt: Attempt): AsyncGenerator<readonly RecordInput[]> {
  const { store, run, compiled, now } = attempt;
  const at = now().getTime();
  for await (const page of store.quarantine.pages()) {
    const links = await store.linkStates.many(page.map(({ sourceId }) => sourceId));
    yield page
      .filter(({ sourceId, nextAt, isIgnored }) => {
        const isDue = !isIgnored && nextAt !== null && Date.parse(nextAt) <= at;
        return isDue && !isEnding(links.get(sourceId));
      })
      .flatMap(inputOfQuarantined);
  }
  // Of uploads, no full run comes to the people whose manager is uploaded after them.
  if (!compiled.connector.receivesUploads) return;
  for await (const page of store.managerlessLinks()) {
    const ready = await readyManagers(page, run.id, attempt);
    // What waits in quarantine is newer.
    const waiting = await store.quarantine.many(page.map(({ sourceId }) => sourceId));
    yield page.filter(
      (link) =>
        ready.has(link.unmetManager) &&
        link.state !== 'left' &&
        !isEnding(link) &&
        !waiting.has(link.sourceId),
    );
  }
}

/** Whether the source has the record no more, as far as is known: what is stored of it is older. */
const isEnding = (link: Pick<Link, 'missing' | 'deferred'> | undefined): boolean =>
  link !== undefined && (link.missing > 0 || link.deferred !== undefined);
