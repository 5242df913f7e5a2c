import { isSame, type JsonObject, RefusalError } from '../../../src/plugin/api.js';
import type { ConfiguredConnector } from '../../../src/plugin/connectors-api.js';
import type { ConnectorAccess, ServiceParts } from '../connector-access.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { RunRecord, RunRequest } from '../run/run-record.js';
import {
  appliedIn,
  cursorAfterRejection,
  hasRead,
  pendingUploads,
  settledAt,
} from './upload-cursor.js';
import { type SnapshotStep, type Upload, uploadSettings } from './upload-store.js';

interface PendingRun {
  readonly request: RunRequest;
  /** When it may start. */
  readonly at: number;
}

/** The run that uploads wait for; undefined: none, or a held one has read them. */
export const pendingRun = async (
  store: ConnectorStore,
  configured: ConfiguredConnector,
  { afterFailure }: { readonly afterFailure: boolean },
): Promise<PendingRun | undefined> => {
  const { newest, open, held } = await store.currentRuns();
  // A failed run is repeated as its failure allows.
  if (newest?.state === 'failed' && !afterFailure) return undefined;
  const applied = appliedIn((await store.memory()).cursor);
  const state = await store.uploads.state(applied.changes);
  const waiting = pendingUploads(state, applied);
  if (!waiting || open.length > 0) return undefined;
  const isHeld = held.some(({ cursor }) => hasRead(cursor, waiting));
  // What an operator has stopped begins again with the next upload.
  const isStopped =
    newest?.cancel?.because === 'cancelled' && new Date(newest.createdAt) >= state.receivedAt;
  if (isHeld || isStopped) return undefined;
  return {
    request: { mode: waiting.mode, trigger: 'upload', requestedBy: null },
    at: settledAt(state, applied, uploadSettings(configured).settle),
  };
};

/** The runs of a connector that receives uploads: each upload is followed by one. */
export const createUploadRuns = (
  { host, clock, configured }: ServiceParts,
  { compiled, store }: ConnectorAccess,
  start: (request: RunRequest) => Promise<RunRecord>,
) => {
  const startPending = async (): Promise<void> => {
    const of = await store();
    if ((await of.control()).isPaused) return;
    const due = await pendingRun(of, configured, { afterFailure: true });
    if (!due) return;
    const waitMs = due.at - host.now().getTime();
    if (waitMs > 0) wake(waitMs);
    else await start(due.request);
  };

  /** Of the next run, here; without it, a tick of any instance starts it. */
  let cancelWake: (() => void) | undefined;
  /** Uploads that come until then wait for the same look. */
  const wake = (inMs: number): void => {
    cancelWake ??= clock.after(inMs, () => {
      cancelWake = undefined;
      startPending().catch((error: unknown) => {
        // The run in progress is followed by another one.
        if (!(error instanceof RefusalError))
          host.log.warn(
            { err: error, connector: configured.name },
            'a run for uploads did not start',
          );
      });
    });
  };

  return {
    /** Stores an upload, and starts a run for it unless one is in progress. */
    receive: async (people: readonly JsonObject[], step?: SnapshotStep): Promise<Upload> => {
      compiled();
      const of = await store();
      const { cursor } = await of.memory();
      const upload = await of.uploads.add(people, step, appliedIn(cursor));
      wake(uploadSettings(configured).settle);
      return upload;
    },
    /** A list waits for the changes before it, and what was received since then for both. */
    follow: async (): Promise<void> => {
      wake(0);
      const of = await store();
      await of.uploads.drop(appliedIn((await of.memory()).cursor));
    },
    /** An upload cannot be taken back: what the rejected run has read must not come again. */
    reject: async (run: RunRecord): Promise<void> => {
      const of = await store();
      const { cursorVersion = 1 } = compiled().connector;
      await of.remember(({ cursor }) =>
        isSame(cursor, run.from) ? { cursor: cursorAfterRejection(run), cursorVersion } : {},
      );
      wake(0);
    },
    cancelWake: (): void => cancelWake?.(),
  };
};
