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

export interface InputPage {
  readonly inputs: readonly Input[];
  readonly errors: readonly Extract<Staged, { kind: 'error' }>[];
  readonly staged: number;
}

/** What the run plans, page by page. */
export const inputPages = (parts: PlanParts): AsyncGenerator<InputPage> =>
  parts.isRead ? stagedInputs(parts) : dueInputs(parts);

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

/** Those of these records; null: all. What follows from stored dates is few, and looked up again. */
export const inputsAmong = async function* (
  sourceIds: readonly string[] | null,
  parts: PlanParts,
): AsyncGenerator<readonly Input[]> {
  if (sourceIds?.length === 0) return;
  if (!parts.isRead || sourceIds === null) {
    for await (const { inputs } of inputPages(parts)) yield inputs;
    // Their dates may have come since they were read.
    for await (const { ids, day } of unchangedPages(parts))
      if (day !== parts.today) yield await inputsOfLinks(ids, parts.store);
    return;
  }
  for (let from = 0; from < sourceIds.length; from += PAGE) {
    const some = sourceIds.slice(from, from + PAGE);
    const staged = await parts.store.staged(parts.run.id).many(some);
    const unstaged = some.filter((id) => !staged.has(id));
    yield [
      ...[...staged.values()].flatMap(inputsOf),
      ...(await inputsOfLinks(unstaged, parts.store)),
    ];
  }
};

const stagedInputs = async function* ({ store, run }: PlanParts): AsyncGenerator<InputPage> {
  for await (const staged of store.staged(run.id).pages())
    yield {
      inputs: staged.flatMap(inputsOf),
      errors: staged.flatMap((one) => (one.kind === 'error' ? [one] : [])),
      staged: staged.length,
    };
};

/**
 * What is stored and changes today by its dates. While a newer record waits in quarantine, no date of
 * the older one counts; that the newer one says that the person has left does.
 */
const dueInputs = async function* ({
  store,
  compiled,
  today,
}: PlanParts): AsyncGenerator<InputPage> {
  for await (const states of store.linkStates.pages()) {
    const changing = states.filter(({ changesOn }) => changesOn !== null && changesOn <= today);
    const links = await store.links.many(changing.map(({ sourceId }) => sourceId));
    const due = [...links.values()];
    const waiting = await store.quarantine.many(due.map(({ sourceId }) => sourceId));
    const current = due.filter(({ sourceId, hash }) => {
      const newer = waiting.get(sourceId);
      return newer === undefined || newer.hash === hash;
    });
    yield { inputs: current.map(inputOfLink), errors: [], staged: 0 };
  }
  for await (const page of store.quarantine.pages()) {
    const links = await store.links.many(page.map(({ sourceId }) => sourceId));
    const left = page.filter(({ sourceId, hash, data, isIgnored }) => {
      const link = links.get(sourceId);
      const isNewer = link !== undefined && link.state !== 'left' && link.hash !== hash;
      return (
        isNewer && !isIgnored && data !== null && isStage('left', data, compiled.lifecycle, today)
      );
    });
    yield { inputs: left.flatMap(inputOfQuarantined), errors: [], staged: 0 };
  }
};

/**
 * Everything that may say who a record is: what was read, what waits from earlier runs, and, if anyone
 * leaves, those who join later.
 */
export const identityPages = async function* (parts: PlanParts): AsyncGenerator<IdentifyPage> {
  const { store, run, compiled, today, isRead, isComplete } = parts;
  const due = new Set<string>();
  let hasLeavers = false;
  for await (const { inputs } of inputPages(parts)) {
    const records = inputs.filter((input): input is RecordInput => !('isDeleted' in input));
    yield { records, isRead: true };
    if (isComplete) continue;
    hasLeavers ||=
      records.length < inputs.length ||
      records.some(({ data }) => isStage('left', data, compiled.lifecycle, today));
    // What was read is looked up; what follows from dates is few.
    if (!isRead) for (const { sourceId } of records) due.add(sourceId);
  }
  if (isComplete) return;
  for await (const page of waitingPages(parts)) {
    const records = page.flatMap(inputOfQuarantined);
    yield { records: records.filter(({ sourceId }) => !due.has(sourceId)), isRead: false };
  }
  for await (const page of store.deferredLinks()) hasLeavers ||= page.length > 0;
  if (!hasLeavers) return;
  for await (const page of store.futureLinks()) {
    const ids = page.map(({ sourceId }) => sourceId);
    const staged = await store.stagedIds(run.id).many(ids);
    const waiting = await store.quarantine.many(ids);
    const others = page.filter(
      ({ sourceId }) => !staged.has(sourceId) && !waiting.has(sourceId) && !due.has(sourceId),
    );
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

const inputsOf = (staged: Staged): readonly Input[] => {
  const { sourceId } = staged;
  if (staged.kind === 'error') return [];
  if (staged.kind === 'tombstone') return [{ sourceId, isDeleted: true }];
  return [{ sourceId, data: staged.data, hash: staged.hash }];
};

const inputOfQuarantined = ({ sourceId, data, hash }: QuarantinedRecord): readonly RecordInput[] =>
  data === null ? [] : [{ sourceId, data, hash }];

/** What was read is what is stored. */
export const inputsOfLinks = async (
  ids: readonly string[],
  { links }: Pick<ConnectorStore, 'links'>,
): Promise<readonly RecordInput[]> => [...(await links.many(ids)).values()].map(inputOfLink);

const inputOfLink = ({ sourceId, data, hash }: Link): RecordInput => ({ sourceId, data, hash });
