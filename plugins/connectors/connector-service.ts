import { raise } from '../../src/plugin/api.js';
import { CONNECTOR_RUNNING } from './declarations.js';
import { readCondition } from './operate/condition.js';
import { createDecisions } from './operate/decide-runs.js';
import { createUploadRuns } from './uploads/upload-runs.js';
import { createConnectorAccess, type ServiceParts } from './connector-access.js';
import { untilWritten } from './run/documents.js';
import { expireRuns, findDueRun } from './due-runs.js';
import { newRun, type RunRecord, type RunRequest } from './run/run-record.js';
import { createRunWorker } from './run/run-worker.js';

/** One connector: its state, its runs, and what operators do with it. */
export type ConnectorService = ReturnType<typeof createConnectorService>;

export const createConnectorService = (parts: ServiceParts) => {
  const { host, configured } = parts;
  const { name, connector } = configured;
  const access = createConnectorAccess(parts);
  const worker = createRunWorker(parts, access, () => uploads.follow());
  const { work, stop } = worker;

  /** Resolves once the run is stored; it then runs here, or wherever this instance's end leaves it. */
  const start = async (request: RunRequest): Promise<RunRecord> => {
    access.compiled();
    const store = await access.store();
    const run = newRun(name, request, host.now());
    await untilWritten(async () => {
      const since = await store.currentRuns();
      const [open] = since.open;
      if (open)
        raise(CONNECTOR_RUNNING, `The run ${open.id} is in progress (${open.state}).`, {
          retryAfter: 10,
        });
      await store.moveRuns([{ ...run, version: 0, updatedAt: host.now() }], since);
    });
    work(run.id);
    return run;
  };

  const uploads = createUploadRuns(parts, access, start);

  let isTenantMissing = false;
  /** Continues, expires and starts what is due. */
  const tick = async (): Promise<void> => {
    if (!configured.isEnabled || configured.problem !== null || worker.isWorking()) return;
    const tenant = await host.users.tenant(configured.tenant);
    if (!tenant && !isTenantMissing)
      host.log.error(
        { connector: name, tenant: configured.tenant },
        'a connector cannot run: its tenant does not exist',
      );
    isTenantMissing = tenant === undefined;
    if (!tenant) return;
    access.compiled();
    const store = access.storeOf(tenant);
    const current = await store.currentRuns();
    await expireRuns(store, current, host.now());
    const [open] = current.open;
    const due = open ? undefined : await findDueRun({ parts, access, store });
    if (open) work(open.id);
    else if (due) await start(due);
  };

  return {
    ...access,
    ...createDecisions({
      ...{ ...access, host, work, stop },
      onReject: async (run) => {
        if (connector?.receivesUploads) await uploads.reject(run);
      },
    }),
    condition: () => readCondition(access, host),
    receive: uploads.receive,
    progress: worker.progress,
    start,
    tick,
    /** Resolves when no run is in progress here. */
    idle: async (): Promise<void> => {
      uploads.cancelWake();
      await worker.end();
      // The run that was in progress has set it again.
      uploads.cancelWake();
    },
  };
};
