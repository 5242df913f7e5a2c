import type { IsoDate } from '../iso-date.js';
import { isStage } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { IdentifyPage } from '../identify/identify.js';
import type { Input, RecordInput } from '../record-input.js';
import type { Attempt } from './attempt.js';
import type { ConnectorStore } from './connector-store.js';
import { PAGE } from './documents.js';
import type { ConnectorMemory, QuarantinedRecord } from './run-record.js';
import type { Staged, UnchangedPage } from './stage-store.js';

/** A run that is planned, and what follows from how it read the source. */
export interface PlanParts extends Attempt {
  readonly memory: ConnectorMemory;
  /** Once for the whole plan. */
  readonly at: Date;
  readonly today: IsoDate;
  readonly isRead: boolean;
  /** Whether who is missing may have left: no record came twice, and each had an id. */
  readonly isComplete: boolean;
}

/** What was read and not staged. */
export const unchangedPages = async function* ({
  store,
  run,
}: PlanParts): AsyncGenerator<Pick<UnchangedPage, 'ids' | 'day' | 'empty'>> {
  // What came twice, or was read again after a crash, may be staged too; that counts.
  const mayBeStaged = run.attempt > 1 || (run.checkpoint?.duplicates ?? 0) > 0;
  for await (const pages of store.unchangedPages(run.id))
    for (const { ids, day, empty } of pages) {
      const staged = mayBeStaged ? await store.stagedIds(run.id).many(ids) : new Map();
      yield { ids: ids.filter((id) => !staged.has(id)), day, empty };
    }
};

/**
 * Everything that may say who a record is: what was read, what waits from earlier runs, and, if anyone
 * leaves, those who join later.
 */
export const identityPages = async function* (parts: PlanParts): AsyncGenerator<IdentifyPage> {
  const { store, run, compiled, today, isComplete } = parts;
  let hasLeavers = false;
  for await (const staged of store.staged(run.id).pages()) {
    const records = staged.flatMap((one) => (one.kind === 'record' ? [one] : []));
    yield { records, isRead: true };
    if (isComplete) continue;
    hasLeavers ||=
      staged.some(({ kind }) => kind === 'tombstone') ||
      records.some(({ data }) => isStage('left', data, compiled.lifecycle, today));
  }
  if (isComplete) return;
  for await (const page of waitingPages(parts))
    yield { records: page.flatMap(inputOfQuarantined), isRead: false };
  for await (const page of store.deferredLinks()) hasLeavers ||= page.length > 0;
  if (!hasLeavers) return;
  for await (const page of store.unusedLinks()) {
    const future = page.filter(({ state }) => state === 'future');
    const ids = future.map(({ sourceId }) => sourceId);
    const staged = await store.stagedIds(run.id).many(ids);
    const waiting = await store.quarantine.many(ids);
    const others = future.filter(({ sourceId }) => !staged.has(sourceId) && !waiting.has(sourceId));
    yield { records: others.map(inputOfLink), isRead: false };
  }
};

/** Records in quarantine that the run has not read. */
export const waitingPages = async function* ({
  store,
  run,
}: PlanParts): AsyncGenerator<readonly QuarantinedRecord[]> {
  for await (const page of store.quarantine.pages()) {
    const ids = page.map(({ sourceId }) => sourceId);
    const staged = await store.stagedIds(run.id).many(ids);
    yield page.filter(({ sourceId }) => !staged.has(sourceId));
  }
};

/** These records in quarantine. */
export const waitingInputs = async function* (
  sourceIds: readonly string[],
  { store }: PlanParts,
): AsyncGenerator<readonly RecordInput[]> {
  for (let from = 0; from < sourceIds.length; from += PAGE) {
    const found = await store.quarantine.many(sourceIds.slice(from, from + PAGE));
    yield [...found.values()].flatMap(inputOfQuarantined);
  }
};

export const inputsOf = (staged: Staged): readonly Input[] => {
  const { sourceId } = staged;
  if (staged.kind === 'error') return [];
  if (staged.kind === 'tombstone') return [{ sourceId, isDeleted: true }];
  return [{ sourceId, data: staged.data, hash: staged.hash }];
};

export const inputOfQuarantined = ({
  sourceId,
  data,
  hash,
}: QuarantinedRecord): readonly RecordInput[] => (data === null ? [] : [{ sourceId, data, hash }]);

/** What was read is what is stored. */
export const inputsOfLinks = async (
  ids: readonly string[],
  { links }: Pick<ConnectorStore, 'links'>,
): Promise<readonly RecordInput[]> => [...(await links.many(ids)).values()].map(inputOfLink);

const inputOfLink = ({ sourceId, data, hash }: Link): RecordInput => ({ sourceId, data, hash });
