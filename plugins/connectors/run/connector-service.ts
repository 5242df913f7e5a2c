import { randomBytes } from 'node:crypto';
import {
  type Clock,
  type ConfiguredConnector,
  type Fence,
  isSame,
  type JsonObject,
  type PluginHost,
  raise,
  RefusalError,
  type SourceCheck,
  SourceError,
  type SourceField,
  type Tenant,
  VersionConflict,
} from '../../../src/plugin/api.js';
import { type CompiledConnector, compileConnector } from '../compile-connector.js';
import { forTenant, undeclared } from '../mapping/custom-values.js';
import {
  CONNECTOR_DISABLED,
  CONNECTOR_PLAN_OUTDATED,
  CONNECTOR_RECORD_NOT_FOUND,
  CONNECTOR_RUN_ENDED,
  CONNECTOR_RUN_NOT_FOUND,
  CONNECTOR_RUNNING,
  CONNECTOR_UNREACHABLE,
} from '../declarations.js';
import { dateIn } from '../iso-date.js';
import type { Evaluate } from '../mapping/jsonata-process.js';
import { dueRun } from '../schedule.js';
import { type ConnectorStore, createConnectorStore } from './connector-store.js';
import { type CollectionName, untilWritten } from './documents.js';
import { executeRun } from './execute-run.js';
import {
  appliedIn,
  cursorAfterRejection,
  hasRead,
  pendingUploads,
  settledAt,
} from '../uploads/upload-cursor.js';
import { type SnapshotStep, type Upload, uploadSettings } from '../uploads/upload-store.js';
import { createGateway, type Gateway } from './gateway.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
  isOpen,
  newRunId,
  NO_CONTROL,
  NO_COUNTS,
  NO_MEMORY,
  type RunCounts,
  type RunMode,
  type RunRecord,
  type RunState,
} from './run-record.js';
import type { DeferredLink } from './link-store.js';
import type { CurrentRuns, StoredRun } from './stored-runs.js';

export interface ServiceParts {
  readonly host: Pick<PluginHost, 'collection' | 'commands' | 'users' | 'leases' | 'log' | 'now'>;
  readonly configured: ConfiguredConnector;
  readonly evaluate: Evaluate;
  readonly machineNow: () => Date;
  readonly clock: Clock;
}

/** A run to start. */
export interface RunRequest {
  readonly mode: RunMode;
  readonly trigger: RunRecord['trigger'];
  readonly isPlanOnly?: boolean;
  readonly ids?: readonly string[];
  readonly requestedBy: string | null;
}

export interface Progress {
  readonly counts: RunCounts;
  readonly perSecond: number;
}

/** How a connector is, for lists, metrics and the home page. */
export interface ConnectorCondition {
  /** Why it cannot run, as a sentence for an operator. */
  readonly problem: string | null;
  readonly isQuarantined: boolean;
  readonly memory: ConnectorMemory;
  readonly control: ConnectorControl;
  readonly runs: Pick<CurrentRuns, 'open' | 'held' | 'newest'>;
  /** Links whose deactivation waits; the first ones. */
  readonly deferred: readonly DeferredLink[];
}

const NO_RUNS = { open: [], held: [], newest: undefined };

/** One connector: its state, its runs, and what operators do with it. */
export interface ConnectorService {
  readonly configured: ConfiguredConnector;
  /** What is wrong with its section of the configuration. */
  readonly problem: () => string | null;
  readonly compiled: () => CompiledConnector;
  /** Of few reads; also of a connector that cannot be used. */
  readonly condition: () => Promise<ConnectorCondition>;
  readonly store: () => Promise<ConnectorStore>;
  /** Stores an upload, and starts a run for it unless one is in progress. */
  readonly receive: (
    people: readonly JsonObject[],
    step: SnapshotStep | undefined,
  ) => Promise<Upload>;
  /** Of the tenant, for a preview: no run, so its commands would have no one to answer for them. */
  readonly reader: (signal: AbortSignal) => Promise<{
    readonly store: ConnectorStore;
    readonly gateway: Gateway;
    readonly tenant: Tenant;
  }>;
  readonly check: (signal: AbortSignal) => Promise<SourceCheck>;
  readonly discover: (signal: AbortSignal) => Promise<readonly SourceField[] | undefined>;
  /** Resolves once the run is stored; it then runs here, or wherever this instance's end leaves it. */
  readonly start: (request: RunRequest) => Promise<RunRecord>;
  readonly approve: (runId: string, digest: string, by: string) => Promise<RunRecord>;
  readonly reject: (runId: string, by: string) => Promise<RunRecord>;
  /** Resolves once the request is stored; the run ends after what is in progress. */
  readonly cancel: (runId: string, by: string) => Promise<RunRecord>;
  /** A pause also cancels the run that is in progress. */
  readonly pause: (isPaused: boolean, by: string) => Promise<void>;
  readonly retry: (sourceId: string) => Promise<void>;
  readonly ignore: (sourceId: string) => Promise<void>;
  readonly progress: (runId: string) => Progress | undefined;
  /** Continues, expires and starts what is due. */
  readonly tick: () => Promise<void>;
  /** Resolves when no run is in progress here. */
  readonly idle: () => Promise<void>;
}

interface Running {
  readonly startedMs: number;
  readonly stop: AbortController;
  counts: RunCounts;
  done: number;
}

/** How often an instance looks whether an operator has cancelled its run elsewhere. */
const WATCH_MS = 1_000;

const firstPage = async <Value>(
  pages: AsyncIterable<readonly Value[]>,
): Promise<readonly Value[]> => {
  for await (const page of pages) return page;
  return [];
};

const isQuarantined = (
  { quarantinedAt }: ConnectorMemory,
  { resumedAt }: ConnectorControl,
): boolean => quarantinedAt !== null && (resumedAt ?? '') < quarantinedAt;

export const createConnectorService = (parts: ServiceParts): ConnectorService => {
  const { host, configured, clock } = parts;
  const { name } = configured;
  const instance = randomBytes(8).toString('hex');
  const running = new Map<string, Running>();
  let working: Promise<void> | undefined;
  let compiled: CompiledConnector | undefined;
  let fault: string | undefined;

  const compile = (): CompiledConnector => {
    if (configured.problem !== null || !configured.connector)
      return raise(CONNECTOR_DISABLED, configured.problem ?? `The connector ${name} is disabled.`);
    try {
      return (compiled ??= compileConnector(configured, parts.evaluate));
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      return raise(CONNECTOR_DISABLED, `connectors.${name}.${fault}.`);
    }
  };

  const problem = (): string | null => {
    if (configured.problem !== null) return configured.problem;
    if (!configured.isEnabled) return null;
    try {
      compile();
      return null;
    } catch {
      return `connectors.${name}.${fault ?? ''}.`;
    }
  };

  const noTenant = `There is no tenant "${configured.tenant}".`;
  const tenant = async (): Promise<Tenant> =>
    (await host.users.tenant(configured.tenant)) ?? raise('TENANT_NOT_FOUND', noTenant);

  const storeOf = ({ id }: Tenant, fence?: Fence): ConnectorStore =>
    createConnectorStore({
      collection: (collection: CollectionName) => host.collection(collection),
      tenantId: id,
      connector: name,
      now: host.now,
      ...(fence && { fence }),
    });

  const store = async (): Promise<ConnectorStore> => storeOf(await tenant());

  const gatewayOf = ({ id }: Tenant, requestId: string, signal: AbortSignal): Gateway =>
    createGateway({
      commands: host.commands,
      users: host.users,
      tenantId: id,
      connector: name,
      requestId,
      signal,
    });

  const condition = async (): Promise<ConnectorCondition> => {
    const known = problem();
    const isUsable = known === null && configured.isEnabled;
    const of = isUsable ? await host.users.tenant(configured.tenant) : undefined;
    if (!of)
      return {
        problem: isUsable ? noTenant : known,
        isQuarantined: false,
        memory: NO_MEMORY,
        control: NO_CONTROL,
        runs: NO_RUNS,
        deferred: [],
      };
    const own = storeOf(of);
    const [memory, control] = [await own.memory(), await own.control()];
    return {
      problem: null,
      isQuarantined: isQuarantined(memory, control),
      memory,
      control,
      runs: await own.currentRuns(),
      deferred: await firstPage(own.deferredLinks()),
    };
  };

  let isTenantMissing = false;
  /** Once for each time that it is missing. */
  const noteTenant = (of: Tenant | undefined): void => {
    if (!of && !isTenantMissing)
      host.log.error(
        { connector: name, tenant: configured.tenant },
        'a connector cannot run: its tenant does not exist',
      );
    isTenantMissing = of === undefined;
  };

  /** Takes up a run here, unless another instance does or one is in progress. */
  const work = (runId: string): void => {
    const before = working ?? Promise.resolve();
    const mine: Promise<void> = before
      .then(() => execute(runId))
      .catch((error: unknown) => {
        host.log.warn({ err: error, connector: name, run: runId }, 'a run was interrupted');
      })
      .finally(() => {
        if (working === mine) working = undefined;
        running.delete(runId);
      });
    working = mine;
  };

  const execute = async (runId: string): Promise<void> => {
    const of = await tenant();
    const ready = forTenant(compile(), of);
    const unknown = undeclared(ready, of);
    if (unknown.length > 0)
      host.log.warn(
        { connector: name, run: runId, attributes: unknown },
        'the mapping sets attributes that the tenant does not declare; they are left out',
      );
    await host.leases.run(`run-${name}`, async ({ signal, fence }) => {
      const stop = new AbortController();
      const shown: Running = { startedMs: clock.now(), stop, counts: NO_COUNTS, done: 0 };
      running.set(runId, shown);
      const unwatch = watch(storeOf(of), runId, stop);
      await executeRun(
        {
          configured,
          compiled: ready,
          tenant: of,
          store: storeOf(of, fence),
          gateway: gatewayOf(of, runId, signal),
          log: host.log,
          instance,
          signal,
          stop: stop.signal,
          clock,
          now: host.now,
          machineNow: parts.machineNow,
          onProgress: (counts) => {
            shown.done += Math.max(0, counts.read - shown.counts.read);
            shown.done += Math.max(0, counts.applied - shown.counts.applied);
            shown.counts = counts;
          },
        },
        runId,
      ).finally(unwatch);
    });
    if (!ready.connector.receivesUploads) return;
    const ended = await storeOf(of).run(runId);
    if (ended?.state !== 'done') return;
    // A list waits for the changes before it, and what was received since then for both.
    wakeForUploads(0);
    const own = storeOf(of);
    await own.uploads.drop(appliedIn((await own.memory()).cursor));
  };

  /** Aborts once the run is cancelled, by whichever instance. */
  const watch = (of: ConnectorStore, runId: string, stop: AbortController): (() => void) => {
    const look = async (): Promise<void> => {
      const run = await of.run(runId).catch(() => undefined);
      if (run?.cancel) stop.abort(new Error('An operator has cancelled the run.'));
      else if (running.get(runId)?.stop === stop)
        unwatch = clock.after(WATCH_MS, () => void look());
    };
    let unwatch = clock.after(WATCH_MS, () => void look());
    return () => unwatch();
  };

  /** Decides again if the run or another one has changed since it was read. */
  const update = async (
    runId: string,
    change: (
      run: RunRecord,
      current: CurrentRuns,
    ) => Partial<RunRecord> & { readonly state: RunState },
  ): Promise<RunRecord> => {
    const of = await store();
    return untilWritten(async () => {
      const since = await of.currentRuns();
      const run =
        (await of.run(runId)) ??
        raise(CONNECTOR_RUN_NOT_FOUND, `The connector ${name} has no run with this id.`);
      const [changed] = await of.moveRuns([{ ...run, ...change(run, since) }], since);
      return changed ?? run;
    });
  };

  const requireHeld = (run: RunRecord): void => {
    const isOver = run.expiresAt !== null && Date.parse(run.expiresAt) < host.now().getTime();
    if (run.state !== 'held' || isOver)
      raise(
        CONNECTOR_PLAN_OUTDATED,
        run.state === 'held'
          ? 'The plan is older than 24 hours. Start a new run.'
          : `The run is ${run.state}; only a held run can be approved or rejected.`,
      );
  };

  /** A newer run may be reading the correction of this plan. What it has changed is left out then. */
  const requireNoneNewer = ({ open: [open] }: CurrentRuns): void => {
    if (open)
      raise(
        CONNECTOR_PLAN_OUTDATED,
        `The run ${open.id} is newer and in progress (${open.state}). Wait for its end.`,
      );
  };

  const cancel = async (
    runId: string,
    by: string,
    because: NonNullable<RunRecord['cancel']>['because'],
  ): Promise<RunRecord> => {
    const run = await update(runId, (found) => {
      if (!isOpen(found))
        raise(
          CONNECTOR_RUN_ENDED,
          `The run is ${found.state}; only a run in progress can be cancelled` +
            `${found.state === 'held' ? ', and a held one can be rejected' : ''}.`,
        );
      return { state: found.state, cancel: found.cancel ?? { by, because } };
    });
    host.log.info({ connector: name, run: runId, by }, 'a run of a connector is cancelled');
    running.get(runId)?.stop.abort(new Error('An operator has cancelled the run.'));
    // Without an instance that runs it, this one ends it.
    work(runId);
    return run;
  };

  const pause = async (isPaused: boolean, by: string): Promise<void> => {
    const at = host.now().toISOString();
    const of = await store();
    await of.changeControl(() =>
      isPaused
        ? { isPaused, pausedBy: by, pausedAt: at }
        : { isPaused, pausedBy: null, pausedAt: null, resumedAt: at },
    );
    if (!isPaused) return;
    const { open } = await of.currentRuns();
    for (const { id } of open)
      await cancel(id, by, 'paused').catch((error: unknown) => {
        // It has just come to its own end.
        if (!(error instanceof RefusalError)) throw error;
      });
  };

  const changeRecord = async (
    sourceId: string,
    change: { readonly nextAt: string | null; readonly isIgnored: boolean },
  ): Promise<void> =>
    (await store()).quarantine.change(sourceId, (found) =>
      found
        ? { ...found, ...change }
        : raise(CONNECTOR_RECORD_NOT_FOUND, `No record ${sourceId} is in quarantine.`),
    );

  const start = async (request: RunRequest): Promise<RunRecord> => {
    compile();
    const of = await store();
    const run = await untilWritten(async () => {
      const since = await of.currentRuns();
      requireNoneOpen(since);
      const [queued] = await of.moveRuns([newRun(request)], since);
      return queued;
    });
    if (!run) throw new Error('The run was not stored.');
    work(run.id);
    return run;
  };

  /** The run that uploads wait for, and when it may start; undefined: none, or a held one has read them. */
  const pendingRun = async (
    of: ConnectorStore,
    { afterFailure }: { readonly afterFailure: boolean },
  ): Promise<{ readonly request: RunRequest; readonly at: number } | undefined> => {
    const { newest, open, held } = await of.currentRuns();
    // A failed run is repeated as its failure allows.
    if (newest?.state === 'failed' && !afterFailure) return undefined;
    const applied = appliedIn((await of.memory()).cursor);
    const state = await of.uploads.state(applied.changes);
    const pending = pendingUploads(state, applied);
    if (!pending || open.length > 0) return undefined;
    const isHeld = held.some(({ cursor }) => hasRead(cursor, pending));
    // What an operator has stopped begins again with the next upload.
    const isStopped =
      newest?.cancel?.because === 'cancelled' && new Date(newest.createdAt) >= state.receivedAt;
    if (isHeld || isStopped) return undefined;
    return {
      request: { mode: pending.mode, trigger: 'upload', requestedBy: null },
      at: settledAt(state, applied, uploadSettings(configured).settle),
    };
  };

  /** An upload cannot be taken back: what was read of it must not come again. */
  const rejectUploads = async (run: RunRecord): Promise<void> => {
    const of = await store();
    await of.remember(({ cursor }) =>
      isSame(cursor, run.from)
        ? {
            cursor: cursorAfterRejection(run),
            cursorVersion: configured.connector?.cursorVersion ?? 1,
          }
        : {},
    );
    wakeForUploads(0);
  };

  const startPending = async (): Promise<void> => {
    const of = await store();
    if ((await of.control()).isPaused) return;
    const due = await pendingRun(of, { afterFailure: true });
    if (!due) return;
    const waitMs = due.at - host.now().getTime();
    if (waitMs > 0) wakeForUploads(waitMs);
    else await start(due.request);
  };

  /** Of the next run for uploads, here; without it, a tick of any instance starts it. */
  let cancelWake: (() => void) | undefined;
  /** Uploads that come until then wait for the same look. */
  const wakeForUploads = (inMs: number): void => {
    cancelWake ??= clock.after(inMs, () => {
      cancelWake = undefined;
      startPending().catch((error: unknown) => {
        // The run in progress is followed by another one.
        if (!(error instanceof RefusalError))
          host.log.warn({ err: error, connector: name }, 'a run for uploads did not start');
      });
    });
  };

  const receive: ConnectorService['receive'] = async (people, step) => {
    compile();
    const of = await store();
    const { cursor } = await of.memory();
    const upload = await of.uploads.add(people, step, appliedIn(cursor));
    wakeForUploads(uploadSettings(configured).settle);
    return upload;
  };

  const newRun = (request: RunRequest): StoredRun => {
    const at = host.now();
    return {
      version: 0,
      updatedAt: at,
      id: newRunId(at, randomBytes(4).toString('hex')),
      connector: name,
      mode: request.mode,
      trigger: request.trigger,
      isPlanOnly: request.isPlanOnly ?? false,
      ...(request.ids && { ids: request.ids }),
      requestedBy: request.requestedBy,
      state: 'queued',
      createdAt: at.toISOString(),
      startedAt: null,
      finishedAt: null,
      attempt: 0,
      from: null,
      checkpoint: null,
      counts: NO_COUNTS,
      plan: null,
      heldAt: null,
      expiresAt: null,
      approvedBy: null,
      approvedAt: null,
      message: null,
      warnings: [],
    };
  };

  const requireNoneOpen = ({ open: [open] }: CurrentRuns): void => {
    if (open)
      raise(CONNECTOR_RUNNING, `The run ${open.id} is in progress (${open.state}).`, {
        retryAfter: 10,
      });
  };

  const expire = async (of: ConnectorStore, { held }: CurrentRuns): Promise<void> => {
    const at = host.now();
    for (const run of held) {
      if (run.expiresAt === null || Date.parse(run.expiresAt) >= at.getTime()) continue;
      const expired: StoredRun = {
        ...run,
        state: 'expired',
        finishedAt: at.toISOString(),
        message: 'The plan was not approved within 24 hours.',
      };
      await of.moveRuns([expired]).catch((error: unknown) => {
        if (!(error instanceof VersionConflict)) throw error;
      });
    }
  };

  /** Whether any date that is stored has come; nothing is planned for a day on which none has. */
  const hasDueDates = async (of: ConnectorStore, today: string): Promise<boolean> => {
    // A record that waits may have a last day of its own.
    if ((await of.quarantine.list(1)).length > 0) return true;
    for await (const links of of.links.pages())
      if (links.some(({ changesOn }) => changesOn !== null && changesOn <= today)) return true;
    for await (const links of of.deferredLinks())
      if (links.some(({ deferred }) => Date.parse(deferred.until) <= host.now().getTime()))
        return true;
    return false;
  };

  const skipDates = (today: string): Promise<boolean> =>
    host.leases.run(`run-${name}`, async ({ fence }) => {
      const of = storeOf(await tenant(), fence);
      await of.remember(() => ({ lastDatesOn: today, lastRunAt: host.now().toISOString() }));
    });

  const tick = async (): Promise<void> => {
    if (!configured.isEnabled || configured.problem !== null || working) return;
    const of = await host.users.tenant(configured.tenant);
    noteTenant(of);
    if (!of) return;
    const ready = compile();
    const own = storeOf(of);
    const current = await own.currentRuns();
    await expire(own, current);
    const [open] = current.open;
    if (open) {
      work(open.id);
      return;
    }
    const control = await own.control();
    if (control.seenAt === null) {
      await own.changeControl(({ seenAt }) => ({ seenAt: seenAt ?? host.now().toISOString() }));
      return;
    }
    if (control.isPaused) return;
    const { receivesUploads = false } = ready.connector;
    const memory = await own.memory();
    const now = host.now();
    const today = dateIn(ready.lifecycle.timeZone, now);
    const scheduled = dueRun({
      name,
      schedule: ready.options.schedule,
      memory,
      seenAt: new Date(control.seenAt),
      canDelta:
        ready.connector.deltas !== undefined &&
        (receivesUploads || memory.cursor !== null) &&
        memory.cursorVersion === (ready.connector.cursorVersion ?? 1),
      isQuarantined: isQuarantined(memory, control),
      today,
      now,
    });
    const pending =
      scheduled || !receivesUploads ? undefined : await pendingRun(own, { afterFailure: false });
    const isSettled = pending !== undefined && pending.at <= now.getTime();
    const isDeferredDue =
      memory.deferredUntil != null && Date.parse(memory.deferredUntil) <= now.getTime();
    const due =
      scheduled ??
      (isSettled ? pending.request : undefined) ??
      (isDeferredDue ? ({ mode: 'dates', trigger: 'schedule' } as const) : undefined);
    if (!due) return;
    const isNeeded = due.mode !== 'dates' || isDeferredDue || (await hasDueDates(own, today));
    if (!isNeeded) await skipDates(today);
    else await start({ requestedBy: null, ...due });
  };

  return {
    configured,
    problem,
    compiled: compile,
    condition,
    store,
    reader: async (signal) => {
      const of = await tenant();
      return { store: storeOf(of), gateway: gatewayOf(of, 'preview', signal), tenant: of };
    },
    receive,
    check: async (signal) => {
      compile();
      try {
        return await (await configured.open()).check(signal);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        return { ok: false, kind: error.kind, message: error.message };
      }
    },
    discover: async (signal) => {
      compile();
      try {
        return await (await configured.open()).discover?.(signal);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        return raise(CONNECTOR_UNREACHABLE, error.message);
      }
    },
    start,
    approve: async (runId, digest, by) => {
      const run = await update(runId, (held, current) => {
        requireHeld(held);
        requireNoneNewer(current);
        if (held.plan?.digest !== digest)
          raise(
            CONNECTOR_PLAN_OUTDATED,
            'The digest is not that of the plan. Look at the plan again.',
          );
        return {
          state: 'approved',
          approvedBy: by,
          approvedAt: host.now().toISOString(),
        };
      });
      host.log.info(
        { connector: name, run: runId, digest, by },
        'a plan of a connector is approved',
      );
      work(runId);
      return run;
    },
    reject: async (runId, by) => {
      const run = await update(runId, (held) => {
        requireHeld(held);
        return {
          state: 'rejected',
          finishedAt: host.now().toISOString(),
          message: `Rejected by ${by}.`,
        };
      });
      host.log.info({ connector: name, run: runId, by }, 'a plan of a connector is rejected');
      if (configured.connector?.receivesUploads) await rejectUploads(run);
      return run;
    },
    cancel: (runId, by) => cancel(runId, by, 'cancelled'),
    pause,
    retry: (sourceId) =>
      changeRecord(sourceId, { nextAt: host.now().toISOString(), isIgnored: false }),
    ignore: (sourceId) => changeRecord(sourceId, { nextAt: null, isIgnored: true }),
    progress: (runId) => {
      const found = running.get(runId);
      if (!found) return undefined;
      const seconds = Math.max(0.001, (clock.now() - found.startedMs) / 1_000);
      return { counts: found.counts, perSecond: Math.round(found.done / seconds) };
    },
    tick,
    idle: async () => {
      cancelWake?.();
      await working;
      // The run that was in progress has set it again.
      cancelWake?.();
    },
  };
};
