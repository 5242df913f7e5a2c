import { type PluginHost, raise, RefusalError } from '../../../src/plugin/api.js';
import {
  CONNECTOR_PLAN_OUTDATED,
  CONNECTOR_RECORD_NOT_FOUND,
  CONNECTOR_RUN_ENDED,
  CONNECTOR_RUN_NOT_FOUND,
} from '../declarations.js';
import type { ConnectorAccess } from '../connector-access.js';
import { untilWritten } from '../run/documents.js';
import { isOpen, type RunRecord, type RunState } from '../run/run-record.js';
import type { CurrentRuns } from '../run/stored-runs.js';
import { isBackingOff } from '../schedule.js';

interface DecisionParts extends Pick<ConnectorAccess, 'configured' | 'store'> {
  readonly host: Pick<PluginHost, 'log' | 'now'>;
  readonly work: (runId: string) => void;
  readonly stop: (runId: string) => void;
  readonly onReject: (run: RunRecord) => Promise<void>;
}

type Decision = (
  run: RunRecord,
  current: CurrentRuns,
) => Partial<RunRecord> & { readonly state: RunState };

/** What operators decide about the runs and records of a connector. */
export const createDecisions = (parts: DecisionParts) => {
  const { configured, store, host, work } = parts;

  const approve = async (runId: string, digest: string, by: string): Promise<RunRecord> => {
    const run = await update(runId, parts, (held, current) => {
      requireHeld(held, host.now());
      requireNoneNewer(current);
      if (held.plan?.digest !== digest)
        raise(
          CONNECTOR_PLAN_OUTDATED,
          'The digest is not that of the plan. Look at the plan again.',
        );
      return { state: 'approved', approvedBy: by, approvedAt: host.now().toISOString() };
    });
    const of = { connector: configured.name, run: runId, digest, by };
    host.log.info(of, 'a plan of a connector is approved');
    work(runId);
    return run;
  };

  const reject = async (runId: string, by: string): Promise<RunRecord> => {
    const run = await update(runId, parts, (held) => {
      requireHeld(held, host.now());
      const finishedAt = host.now().toISOString();
      return { state: 'rejected', finishedAt, message: `Rejected by ${by}.` };
    });
    const of = { connector: configured.name, run: runId, by };
    host.log.info(of, 'a plan of a connector is rejected');
    await parts.onReject(run);
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
    if (!isPaused) {
      // The operator has corrected what it waits for.
      await of.remember((memory) => (isBackingOff(memory, host.now()) ? { retryAt: null } : {}));
      return;
    }
    const { open } = await of.currentRuns();
    for (const { id } of open)
      await cancel(id, by, 'paused', parts).catch((error: unknown) => {
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

  return {
    approve,
    reject,
    /** Resolves once the request is stored; the run ends after what is in progress. */
    cancel: (runId: string, by: string) => cancel(runId, by, 'cancelled', parts),
    /** A pause also cancels the run that is in progress. */
    pause,
    retry: (sourceId: string) =>
      changeRecord(sourceId, { nextAt: host.now().toISOString(), isIgnored: false }),
    ignore: (sourceId: string) => changeRecord(sourceId, { nextAt: null, isIgnored: true }),
  };
};

/** Decides again if the run or another one has changed since it was read. */
const update = async (
  runId: string,
  { configured, store }: DecisionParts,
  decide: Decision,
): Promise<RunRecord> => {
  const of = await store();
  return untilWritten(async () => {
    const since = await of.currentRuns();
    const run =
      (await of.run(runId)) ??
      raise(CONNECTOR_RUN_NOT_FOUND, `The connector ${configured.name} has no run with this id.`);
    const [changed] = await of.moveRuns([{ ...run, ...decide(run, since) }], since);
    return changed ?? run;
  });
};

const cancel = async (
  runId: string,
  by: string,
  because: NonNullable<RunRecord['cancel']>['because'],
  parts: DecisionParts,
): Promise<RunRecord> => {
  const run = await update(runId, parts, (found) => {
    if (!isOpen(found))
      raise(
        CONNECTOR_RUN_ENDED,
        `The run is ${found.state}; only a run in progress can be cancelled` +
          `${found.state === 'held' ? ', and a held one can be rejected' : ''}.`,
      );
    return { state: found.state, cancel: found.cancel ?? { by, because } };
  });
  const of = { connector: parts.configured.name, run: runId, by };
  parts.host.log.info(of, 'a run of a connector is cancelled');
  parts.stop(runId);
  // Without an instance that runs it, this one ends it.
  parts.work(runId);
  return run;
};

const requireHeld = ({ state, expiresAt, plan }: RunRecord, now: Date): void => {
  if (state !== 'held')
    raise(
      CONNECTOR_PLAN_OUTDATED,
      `The run is ${state}; only a held run can be approved or rejected.`,
    );
  const isOver = expiresAt !== null && Date.parse(expiresAt) < now.getTime();
  if (isOver) raise(CONNECTOR_PLAN_OUTDATED, 'The plan is older than 24 hours. Start a new run.');
  if (plan?.leavers === undefined)
    raise(CONNECTOR_PLAN_OUTDATED, 'An older version made the plan. Start a new run.');
};

/** A newer run may be reading the correction of this plan. What it has changed is left out then. */
const requireNoneNewer = ({ open: [open] }: CurrentRuns): void => {
  if (open)
    raise(
      CONNECTOR_PLAN_OUTDATED,
      `The run ${open.id} is newer and in progress (${open.state}). Wait for its end.`,
    );
};
