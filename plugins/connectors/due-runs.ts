import { VersionConflict } from '../../src/plugin/api.js';
import { dateIn } from './iso-date.js';
import { dueRun, isBackingOff } from './schedule.js';
import { pendingRun } from './uploads/upload-runs.js';
import type { ConnectorAccess, ServiceParts } from './connector-access.js';
import type { ConnectorStore } from './run/connector-store.js';
import { isQuarantined, type RunRequest } from './run/run-record.js';
import type { CurrentRuns } from './run/stored-runs.js';

interface DueParts {
  readonly parts: ServiceParts;
  readonly access: ConnectorAccess;
  /** The connector's tenant exists. */
  readonly store: ConnectorStore;
}

/** The run that has to start now; undefined: none. */
export const findDueRun = async (due: DueParts): Promise<RunRequest | undefined> => {
  const { parts, access, store } = due;
  const { connector, lifecycle, options } = access.compiled();
  const { receivesUploads = false, cursorVersion = 1 } = connector;
  const now = parts.host.now();
  const control = await store.control();
  if (control.seenAt === null) {
    await store.changeControl(({ seenAt }) => ({ seenAt: seenAt ?? now.toISOString() }));
    return undefined;
  }
  const memory = await store.memory();
  if (control.isPaused || isBackingOff(memory, now)) return undefined;
  const today = dateIn(lifecycle.timeZone, now);
  const scheduled = dueRun({
    ...{ name: access.configured.name, schedule: options.schedule, memory, today, now },
    seenAt: new Date(control.seenAt),
    canDelta:
      connector.deltas !== undefined &&
      (receivesUploads || memory.cursor !== null) &&
      memory.cursorVersion === cursorVersion,
    isQuarantined: isQuarantined(memory, control),
  });
  if (scheduled && scheduled.mode !== 'dates') return { ...scheduled, requestedBy: null };
  const pending =
    scheduled || !receivesUploads
      ? undefined
      : await pendingRun(store, access.configured, { afterFailure: false });
  if (pending && pending.at <= now.getTime()) return pending.request;
  const { deferredUntil } = memory;
  const isDeferredDue = deferredUntil != null && Date.parse(deferredUntil) <= now.getTime();
  if (!scheduled && !isDeferredDue) return undefined;
  if (isDeferredDue || (await hasDueDates(store, today, now)))
    return { mode: 'dates', trigger: 'schedule', requestedBy: null };
  await skipDates(today, due);
  return undefined;
};

/** Whether any date that is stored has come; nothing is planned for a day on which none has. */
const hasDueDates = async (store: ConnectorStore, today: string, now: Date): Promise<boolean> => {
  // A record that waits may have a last day of its own.
  if ((await store.quarantine.list(1)).length > 0) return true;
  for await (const links of store.linkStates.pages())
    if (links.some(({ changesOn }) => changesOn !== null && changesOn <= today)) return true;
  for await (const links of store.deferredLinks())
    if (links.some(({ deferred }) => Date.parse(deferred.until) <= now.getTime())) return true;
  return false;
};

const skipDates = (today: string, { parts: { host }, access }: DueParts): Promise<boolean> =>
  host.leases.run(`run-${access.configured.name}`, async ({ fence }) => {
    const store = access.storeOf(await access.tenant(), fence);
    await store.remember(() => ({ lastDatesOn: today, lastRunAt: host.now().toISOString() }));
  });

/** Ends held runs that no operator has approved in time. */
export const expireRuns = async (
  store: ConnectorStore,
  { held }: CurrentRuns,
  now: Date,
): Promise<void> => {
  for (const run of held) {
    if (run.expiresAt === null || Date.parse(run.expiresAt) >= now.getTime()) continue;
    const message = 'The plan was not approved within 24 hours.';
    await store
      .moveRuns([{ ...run, state: 'expired', finishedAt: now.toISOString(), message }])
      .catch((error: unknown) => {
        if (!(error instanceof VersionConflict)) throw error;
      });
  }
};
