import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { type ApiClient, createApiClient } from '../../shared/api-client.js';
import { readUsage, resetPeak } from '../../shared/process-usage.js';
import { CONNECTOR, createEmployeesFolder, writeEmployees } from '../connectors/employees.js';
import type { BenchOptions } from '../options.js';
import { SLUG, startGateway, formatSize, type TestedServer } from '../servers/start-server.js';
import type { BenchContext } from './bench-context.js';
import type { ConnectorRun, ConnectorRuns } from './results.js';

const POLL_MS = 250;
const IN_PROGRESS = ['queued', 'reading', 'planning', 'applying'];

/**
 * A connector reads employees from a CSV file into an empty directory; then the same file again; then
 * a file in which one of a hundred has changed. The gateway is a new process for each number of
 * employees.
 */
export const runConnectors = async (
  context: BenchContext,
  { employees }: Pick<BenchOptions, 'employees'>,
): Promise<readonly ConnectorRuns[]> => {
  const results: ConnectorRuns[] = [];
  for (const number of employees) {
    const opened = await openConnector(context, number);
    try {
      results.push({ employees: number, runs: await runAll(opened) });
    } finally {
      await opened.close();
    }
  }
  return results;
};

interface OpenedConnector {
  readonly context: BenchContext;
  readonly employees: number;
  readonly server: TestedServer;
  readonly files: string;
  readonly operator: ApiClient;
  /** Inserts, updates and deletes of users since mongod started. */
  readonly userWrites: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A gateway with a connector, before its first run. */
const openConnector = async (
  context: BenchContext,
  employees: number,
): Promise<OpenedConnector> => {
  const label = `connectors-${formatSize(employees)}`;
  const folder = await createEmployeesFolder(context.folder, { label, tenant: SLUG });
  const setting = context.settingFor(label, 0);
  const server = await startGateway({ ...setting, environment: folder.environment });
  const client = await mongoose.mongo.MongoClient.connect(context.database.uriOf(label));
  return {
    context,
    employees,
    server,
    files: folder.files,
    operator: operatorOf(server),
    userWrites: () => writesTo(client, `${label}.users`),
    close: async () => {
      await client.close();
      await server.process.stop();
    },
  };
};

export const operatorOf = ({ process, adminToken = '' }: TestedServer): ApiClient =>
  createApiClient(
    () => `${process.origin}/admin/v1/tenants/${SLUG}/connectors/${CONNECTOR}`,
    adminToken,
  );

const writesTo = async (
  client: mongoose.mongo.MongoClient,
  collection: string,
): Promise<number> => {
  const { totals } = (await client.db('admin').command({ top: 1 })) as unknown as {
    readonly totals: Readonly<
      Record<string, Readonly<Record<'insert' | 'update' | 'remove', { readonly count: number }>>>
    >;
  };
  const found = totals[collection];
  return found ? found.insert.count + found.update.count + found.remove.count : 0;
};

const runAll = async (opened: OpenedConnector): Promise<readonly ConnectorRun[]> => {
  const { files, employees } = opened;
  const runs: ConnectorRun[] = [];
  const run = async (name: string, applied: number): Promise<void> => {
    const measured = await measureRun(opened, name, applied);
    opened.context.report(
      `connectors, ${formatSize(employees)}: ${name} in ${measured.wall.toFixed(1)} s`,
    );
    runs.push(measured);
  };
  await writeEmployees(files, 'people-1.csv', { employees });
  await run('first run', employees);
  await run('unchanged', 0);
  await writeEmployees(files, 'people-2.csv', { employees, isOnePercentChanged: true });
  await run('1 % changed', employees / 100);
  return runs;
};

const measureRun = async (
  { context, server, operator, userWrites, employees }: OpenedConnector,
  name: string,
  applied: number,
): Promise<ConnectorRun> => {
  const { pid } = server.process;
  const database = context.database.pid;
  await resetPeak(pid);
  const [cpu, databaseCpu, written] = [
    await readUsage(pid),
    await readUsage(database),
    await userWrites(),
  ];
  const began = performance.now();
  await runConnector(operator, { employees, applied });
  const wall = (performance.now() - began) / 1_000;
  const after = await readUsage(pid);
  return {
    name,
    wall,
    rate: employees / wall,
    cpu: (after.cpuMs - cpu.cpuMs) / 1_000,
    databaseCpu: ((await readUsage(database)).cpuMs - databaseCpu.cpuMs) / 1_000,
    peak: after.peakMb,
    userWrites: (await userWrites()) - written,
  };
};

interface RunBody {
  readonly id: string;
  readonly state: string;
  readonly read: number;
  readonly applied: number;
  readonly failed: number;
  readonly message: string | null;
}

/** Runs the connector to its end; rejects unless it did exactly this. */
export const runConnector = async (
  operator: ApiClient,
  { employees, applied }: { readonly employees: number; readonly applied: number },
): Promise<void> => {
  let run = (await operator.expect(201, 'POST', '/runs', {})).json() as RunBody;
  while (IN_PROGRESS.includes(run.state)) {
    await sleep(POLL_MS);
    run = (await operator.expect(200, 'GET', `/runs/${run.id}`)).json() as RunBody;
  }
  if (run.state === 'done' && run.read === employees && run.applied === applied && run.failed === 0)
    return;
  throw new Error(`The run is not as expected: ${JSON.stringify(run, null, 2)}`);
};
