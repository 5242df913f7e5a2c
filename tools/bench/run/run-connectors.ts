import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { type ApiClient, createApiClient } from '../../shared/api-client.js';
import { resetPeak } from '../../shared/process-usage.js';
import { CONNECTOR, createEmployeesFolder, writeEmployees } from '../connectors/employees.js';
import type { BenchOptions } from '../options.js';
import { SLUG, startGateway, formatSize } from '../servers/start-server.js';
import { type BenchContext, measureUsage } from './bench-context.js';
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
  for (const number of employees)
    results.push({ employees: number, runs: await runThreeTimes(context, number) });
  return results;
};

const runThreeTimes = async (
  context: BenchContext,
  employees: number,
): Promise<readonly ConnectorRun[]> => {
  const label = `connectors-${formatSize(employees)}`;
  const { files, environment } = await createEmployeesFolder(context.folder, label);
  const server = await startGateway({ ...context.settingFor(label, 0), environment });
  const { url, pid } = server.process;
  const operator = createApiClient(
    () => `${url}/admin/v1/tenants/${SLUG}/connectors/${CONNECTOR}`,
    server.adminToken ?? '',
  );
  const client = await mongoose.mongo.MongoClient.connect(context.database.uriOf(label));
  const runs: ConnectorRun[] = [];
  const run = async (name: string, applied: number): Promise<void> => {
    await resetPeak(pid);
    const written = await writesTo(client, `${label}.users`);
    const began = performance.now();
    const { cpuMs, databaseCpuMs, peak } = await measureUsage(context, server, () =>
      runConnector(operator, { employees, applied }),
    );
    const wall = (performance.now() - began) / 1_000;
    const userWrites = (await writesTo(client, `${label}.users`)) - written;
    const [cpu, databaseCpu] = [cpuMs / 1_000, databaseCpuMs / 1_000];
    runs.push({ name, wall, rate: employees / wall, cpu, databaseCpu, peak, userWrites });
    context.report(`${label}: ${name} in ${wall.toFixed(1)} s`);
  };
  await writeEmployees(files, 'people-1.csv', { employees });
  await run('first run', employees);
  await run('unchanged', 0);
  await writeEmployees(files, 'people-2.csv', { employees, isOnePercentChanged: true });
  await run('1 % changed', employees / 100);
  await client.close();
  await server.process.stop();
  return runs;
};

/** Inserts, updates and deletes in a collection since mongod started. */
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

interface RunBody {
  readonly id: string;
  readonly state: string;
  readonly read: number;
  readonly applied: number;
  readonly failed: number;
}

/** Runs the connector to its end; rejects unless it did exactly this. */
const runConnector = async (
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
