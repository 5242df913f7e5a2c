import type { JsonObject, JsonValue } from '../../../src/plugin/api.js';
import type { RunRecord } from '../run/run-record.js';
import { isObject } from './upload-body.js';
import type { AppliedUploads, List, Received, Upload, UploadState } from './upload-store.js';

/** Uploads that an operator has rejected, with the plan of the run that had read them. */
interface Rejected {
  /** Changes between these numbers. */
  readonly after: number;
  readonly upTo: number;
  /** Null: the run had read no list. */
  readonly list: number | null;
}

/** What has become of the uploads: the cursor of a connector that receives them. */
export interface Applied extends AppliedUploads {
  /** The newest list that was applied or rejected; 0: none. */
  readonly lists: number;
  /** Oldest first. */
  readonly rejections: readonly Rejected[];
}

/** Older ones are deleted soon, and replaced by a newer list. */
const MAX_REJECTIONS = 100;

const NONE: Applied = { changes: 0, lists: 0, appliedList: null, rejections: [] };

export const cursorOf = (applied: Partial<Applied>): JsonObject => applied as unknown as JsonObject;

export const appliedIn = (cursor: JsonValue | undefined): Applied => ({
  ...NONE,
  ...(isObject(cursor) ? cursor : {}),
});

type Place = Pick<Upload, 'at' | 'list'>;

/** Whether everything up to this upload was applied or rejected. */
export const isApplied = (cursor: JsonValue | undefined, { at, list }: Place): boolean => {
  const { changes, lists } = appliedIn(cursor);
  return list === null ? at.changes <= changes : list <= lists;
};

/** Whether an operator has rejected what was made of this upload. */
export const isRejected = ({ rejections }: Pick<Applied, 'rejections'>, upload: Place): boolean =>
  rejections.some(({ after, upTo, list }) =>
    upload.list === null
      ? upload.at.changes > after && upload.at.changes <= upTo
      : upload.list === list,
  );

/** The cursor once the plan of a run that has read these uploads was rejected: they do not come again. */
export const cursorAfterRejection = ({
  from,
  cursor,
}: Pick<RunRecord, 'from' | 'cursor'>): JsonValue => {
  const before = appliedIn(from);
  const { changes, lists } = appliedIn(cursor);
  const list = lists > before.lists ? lists : null;
  const rejected = { after: before.changes, upTo: changes, list };
  const rejections = [...before.rejections, rejected].slice(-MAX_REJECTIONS);
  return cursorOf({ ...before, changes, lists, rejections });
};

/** A run does not wait longer for a pause between uploads. */
const MAX_WAIT_MS = 5 * 60_000;

/** A complete list, and what had been received with its last part. */
export type CompleteList = List & { readonly end: Received };

/** The newest complete list, if it waits for a run. */
export const dueList = (
  lists: readonly List[],
  applied: Pick<Applied, 'lists'>,
): CompleteList | undefined => {
  const newest = lists.findLast((list): list is CompleteList => list.end !== null);
  return newest && newest.id > applied.lists ? newest : undefined;
};

/** When a run may read what was uploaded: uploads that follow each other are one plan. */
export const settledAt = (
  { receivedAt, waiting, lists }: UploadState,
  applied: Applied,
  settle: number,
): number => {
  const since = [waiting?.receivedAt, dueList(lists, applied)?.completedAt];
  const first = since.flatMap((time) => (time ? [Date.parse(time) + MAX_WAIT_MS] : []));
  return Math.min(receivedAt.getTime() + settle, ...first);
};

/** The run that uploads wait for, and what it reads. */
export type PendingUploads =
  | { readonly mode: 'full'; readonly list: List }
  | { readonly mode: 'delta'; readonly upTo: number };

/** Changes that were uploaded before a list was complete are applied before it. */
export const pendingUploads = (
  { received, lists }: Pick<UploadState, 'received' | 'lists'>,
  applied: Applied,
): PendingUploads | undefined => {
  const list = dueList(lists, applied);
  if (list && list.end.changes <= applied.changes) return { mode: 'full', list };
  const upTo = (list?.end ?? received).changes;
  return upTo > applied.changes ? { mode: 'delta', upTo } : undefined;
};

/** Whether the run with this cursor has read them. */
export const hasRead = (cursor: JsonValue | undefined, pending: PendingUploads): boolean => {
  const { changes, lists } = appliedIn(cursor);
  return pending.mode === 'full' ? lists >= pending.list.id : changes >= pending.upTo;
};
