import { randomBytes } from 'node:crypto';
import {
  type Clock,
  type ConfiguredConnector,
  type Fence,
  type PluginHost,
  raise,
  type SourceCheck,
  SourceError,
  type SourceField,
  type Tenant,
  VersionConflict,
} from '../../../src/plugin/api.js';
import { type CompiledConnector, compileConnector } from '../compile-connector.js';
import {
  CONNECTOR_DISABLED,
  CONNECTOR_PLAN_OUTDATED,
  CONNECTOR_RECORD_NOT_FOUND,
  CONNECTOR_RUN_NOT_FOUND,
  CONNECTOR_RUNNING,
  CONNECTOR_UNREACHABLE,
} from '../declarations.js';
import { dateIn } from '../iso-date.js';
import type { Evaluate } from '../mapping/jsonata-worker.js';
import { dueRun } from '../schedule.js';
import {
  type CollectionName,
  type ConnectorStore,
  createConnectorStore,
} from './connector-store.js';
import { executeRun } from './execute-run.js';
import {
  type ConnectorControl,
  type ConnectorMemory,
  newRunId,
  NO_COUNTS,
  OPEN_STATES,
  type RunCounts,
  type RunMode,
  type RunRecord,
} from './run-record.js';

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

/** One connector: its state, its runs, and what operators do with it. */
export interface ConnectorService {
  readonly configured: ConfiguredConnector;
  readonly problem: () => string | null;
  readonly compiled: () => CompiledConnector;
  readonly tenant: () => Promise<Tenant>;
  readonly store: () => Promise<ConnectorStore>;
  readonly check: (signal: AbortSignal) => Promise<SourceCheck>;
  readonly discover: (signal: AbortSignal) => Promise<readonly SourceField[] | undefined>;
  /** Resolves once the run is stored; it then runs here, or wherever this instance's end leaves it. */
  readonly start: (request: RunRequest) => Promise<RunRecord>;
  readonly approve: (runId: string, digest: string, by: string) => Promise<RunRecord>;
  readonly reject: (runId: string, by: string) => Promise<RunRecord>;
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
  counts: RunCounts;
  done: number;
}

export const isQuarantined = (
  { quarantinedAt }: ConnectorMemory,
  { resumedAt }: ConnectorControl,
): boolean => quarantinedAt !== null && (resumedAt ?? '') < quarantinedAt;

export const createConnectorService = (parts: ServiceParts): ConnectorService => {
  const { host, configured, clock } = parts;
  const { name } = configured;
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

  const tenant = async (): Promise<Tenant> =>
    (await host.users.tenant(configured.tenant)) ??
    raise('TENANT_NOT_FOUND', `There is no tenant "${configured.tenant}".`);

  const storeOf = ({ id }: Tenant): ConnectorStore =>
    createConnectorStore({
      collection: (collection: CollectionName) => host.collection(collection),
      tenantId: id,
      connector: name,
      now: host.now,
    });

  const store = async (): Promise<ConnectorStore> => storeOf(await tenant());

  const openRun = async (of: ConnectorStore): Promise<RunRecord | undefined> =>
    (await of.runs(100)).find(({ state }) => OPEN_STATES.includes(state));

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
    const ready = compile();
    await host.leases.run(`run-${name}`, async ({ signal, fence }) => {
      running.set(runId, { startedMs: clock.now(), counts: NO_COUNTS, done: 0 });
      await executeRun(
        {
          configured,
          compiled: ready,
          store: storeOf(of),
          tenant: of,
          commands: host.commands,
          users: host.users,
          log: host.log,
          fence,
          signal,
          now: host.now,
          machineNow: parts.machineNow,
          onProgress: (id, counts) => {
            const shown = running.get(id);
            if (!shown) return;
            shown.done += Math.max(0, counts.read - shown.counts.read);
            shown.done += Math.max(0, counts.applied - shown.counts.applied);
            shown.counts = counts;
          },
        },
        runId,
      );
    });
  };

  const update = async (
    runId: string,
    change: (run: RunRecord) => RunRecord,
  ): Promise<RunRecord> => {
    const of = await store();
    const run = await of.run(runId);
    if (!run)
      return raise(CONNECTOR_RUN_NOT_FOUND, `The connector ${name} has no run with this id.`);
    const changed = change(run);
    try {
      await of.putRun(changed, { ifVersion: run.version });
    } catch (error) {
      if (error instanceof VersionConflict)
        raise(CONNECTOR_PLAN_OUTDATED, 'The run has changed meanwhile. Look at it again.');
      throw error;
    }
    return changed;
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

  const changeControl = async (
    change: (control: ConnectorControl) => Partial<ConnectorControl>,
  ): Promise<void> => {
    const of = await store();
    for (;;) {
      const control = await of.control();
      try {
        await of.putControl({ ...control, ...change(control) }, control.version);
        return;
      } catch (error) {
        if (!(error instanceof VersionConflict)) throw error;
      }
    }
  };

  const changeRecord = async (
    sourceId: string,
    change: { readonly nextAt: string | null; readonly isIgnored: boolean },
  ): Promise<void> => {
    const of = await store();
    const found = (await of.quarantined([sourceId])).get(sourceId);
    if (!found) return raise(CONNECTOR_RECORD_NOT_FOUND, `No record ${sourceId} is in quarantine.`);
    await of.putQuarantined([{ ...found, ...change }], { ifVersion: found.version });
  };

  const start = async (request: RunRequest): Promise<RunRecord> => {
    compile();
    const of = await store();
    const open = await openRun(of);
    if (open)
      raise(CONNECTOR_RUNNING, `The run ${open.id} is in progress (${open.state}).`, {
        retryAfter: 10,
      });
    const at = host.now();
    const run: RunRecord = {
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
    await of.putRun(run, { ifVersion: 0 });
    work(run.id);
    return run;
  };

  const expire = async (of: ConnectorStore, runs: readonly RunRecord[]): Promise<void> => {
    const at = host.now();
    for (const run of runs) {
      if (
        run.state !== 'held' ||
        run.expiresAt === null ||
        Date.parse(run.expiresAt) >= at.getTime()
      )
        continue;
      await of
        .putRun(
          {
            ...run,
            state: 'expired',
            finishedAt: at.toISOString(),
            message: 'The plan was not approved within 24 hours.',
          },
          { ifVersion: (run as RunRecord & { version: number }).version },
        )
        .catch((error: unknown) => {
          if (!(error instanceof VersionConflict)) throw error;
        });
    }
  };

  /** Whether any date that is stored has come; nothing is planned for a day on which none has. */
  const hasDueDates = async (of: ConnectorStore, today: string): Promise<boolean> => {
    for await (const links of of.linkPages())
      if (links.some(({ changesOn }) => changesOn !== null && changesOn <= today)) return true;
    return false;
  };

  const skipDates = (today: string): Promise<boolean> =>
    host.leases.run(`run-${name}`, async ({ fence }: { readonly fence: Fence }) => {
      const of = await store();
      const memory = await of.memory();
      await of.putMemory(
        { ...memory, lastDatesOn: today, lastRunAt: host.now().toISOString() },
        fence,
      );
    });

  const tick = async (): Promise<void> => {
    if (!configured.isEnabled || configured.problem !== null || working) return;
    const of = await host.users.tenant(configured.tenant);
    if (!of) return;
    const ready = compile();
    const own = storeOf(of);
    const runs = await own.runs(100);
    await expire(own, runs);
    const open = runs.find(({ state }) => OPEN_STATES.includes(state));
    if (open) {
      work(open.id);
      return;
    }
    const control = await own.control();
    if (control.seenAt === null) {
      await changeControl(({ seenAt }) => ({ seenAt: seenAt ?? host.now().toISOString() }));
      return;
    }
    if (control.isPaused) return;
    const memory = await own.memory();
    const now = host.now();
    const today = dateIn(ready.lifecycle.timeZone, now);
    const due = dueRun({
      name,
      schedule: ready.options.schedule,
      memory,
      seenAt: new Date(control.seenAt),
      canDelta:
        ready.connector.deltas !== undefined &&
        memory.cursor !== null &&
        memory.cursorVersion === (ready.connector.cursorVersion ?? 1),
      isQuarantined: isQuarantined(memory, control),
      today,
      now,
    });
    if (!due) return;
    if (due.mode === 'dates' && !(await hasDueDates(own, today))) await skipDates(today);
    else await start({ ...due, requestedBy: null });
  };

  return {
    configured,
    problem: () => {
      if (configured.problem !== null) return configured.problem;
      if (!configured.isEnabled) return null;
      try {
        compile();
        return null;
      } catch {
        return `connectors.${name}.${fault ?? ''}.`;
      }
    },
    compiled: compile,
    tenant,
    store,
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
      const run = await update(runId, (held) => {
        requireHeld(held);
        if (held.plan?.digest !== digest)
          raise(
            CONNECTOR_PLAN_OUTDATED,
            'The digest is not that of the plan. Look at the plan again.',
          );
        return {
          ...held,
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
          ...held,
          state: 'rejected',
          finishedAt: host.now().toISOString(),
          message: `Rejected by ${by}.`,
        };
      });
      host.log.info({ connector: name, run: runId, by }, 'a plan of a connector is rejected');
      return run;
    },
    pause: (isPaused, by) =>
      changeControl(() =>
        isPaused
          ? { isPaused, pausedBy: by, pausedAt: host.now().toISOString() }
          : {
              isPaused,
              pausedBy: null,
              pausedAt: null,
              resumedAt: host.now().toISOString(),
            },
      ),
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
      await working;
    },
  };
};
