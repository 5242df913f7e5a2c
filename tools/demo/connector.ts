import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changeLines } from '../../plugins/connectors/operate/plan-html.js';
import type { ItemView, RunView } from '../../plugins/connectors/operate/views.js';
import { renderTable } from '../../src/cli/table.js';
import { createApiClient } from '../shared/api-client.js';
import { waitUntil } from '../shared/wait-until.js';
import { check, type DemoClient } from './demo-client.js';
import type { Output } from './output.js';

const NAME = 'hr';

/** A gateway with a connector for a tenant that does not exist yet. */
export interface DemoConnector {
  readonly slug: string;
  /** Where the HR system exports its files. */
  readonly files: string;
  /** The settings file. */
  readonly path: string;
}

/** A folder for the exports of an HR system, and the settings of a connector that reads it. */
export const prepareConnector = async (folder: string): Promise<DemoConnector> => {
  const slug = `ferry-${randomBytes(3).toString('hex')}`;
  const files = join(folder, 'hr-export');
  await mkdir(files);
  const path = join(folder, 'rollgate.yaml');
  const settings = { folder: files, ready: 'renamed' };
  const rules = { groups: [{ path: 'department' }], lifecycle: { missingRuns: 1 } };
  // JSON is YAML.
  const connectors = { [NAME]: { use: 'csv', tenant: slug, settings, ...rules } };
  await writeFile(path, JSON.stringify({ connectors }));
  return { slug, files, path };
};

const HEADER = 'employeeId,firstName,lastName,email,department,startDate,endDate';

const EMPLOYEES = [
  '1001,Barbara,Liskov,barbara@ferry.example,Dispatch,2021-02-01,',
  '1002,Edsger,Dijkstra,edsger@ferry.example,Dispatch,2021-02-01,',
  '1003,Frances,Allen,frances@ferry.example,Fleet,2022-06-15,',
  '1004,Tony,Hoare,tony@ferry.example,Fleet,2999-01-04,',
  '1005,Radia,Perlman,radia@ferry.example,Fleet,2023-01-09,',
  '1006,Niklaus,Wirth,niklaus@ferry.example,Fleet,2023-01-09,',
  '1007,Kristen,Nygaard,kristen@ferry.example,Fleet,2024-03-01,',
  '1008,John,Backus,john@ferry.example,Dispatch,2024-03-01,',
];

export interface ConnectorSteps extends DemoConnector {
  readonly url: string;
  readonly adminToken: string;
  readonly operator: DemoClient;
  readonly output: Output;
}

/** Reads employees into a tenant of their own, and approves what a broken export would do. */
export const runConnectorSteps = async (steps: ConnectorSteps): Promise<void> => {
  const { slug, operator, output } = steps;
  output.section('Connector', 'the employees of an HR system, from a CSV file');
  const tenant = { slug, name: 'Lakeside Ferries', seat_capacity: 10 };
  await operator('POST', '/tenants', 201, `tenant ${slug}`, {
    ...tenant,
    room_provisioning: 'automatic',
  });
  await exportEmployees(steps, EMPLOYEES);
  const base = `/tenants/${slug}/connectors/${NAME}`;
  await operator('POST', `${base}/check`, 200, ({ ok }) =>
    ok === true ? 'its newest file is readable' : 'not readable',
  );

  const planned = await runOnce(steps, { plan_only: true }, 'planned');
  await printPlan(steps, planned);
  const first = await runOnce(steps, {}, 'done');
  // One of them joins later.
  check(first.applied === EMPLOYEES.length - 1 && first.failed === 0, 'Expected 7 new users.');

  output.section(
    'Broken export',
    'half of the file is gone: nothing happens until an operator agrees',
  );
  await exportEmployees(steps, EMPLOYEES.slice(0, EMPLOYEES.length / 2));
  const held = await runOnce(steps, {}, 'held');
  for (const { message } of held.plan?.findings ?? [])
    output.line(`  ! ${message.replace('; ', ';\n    ')}`);
  await printPlan(steps, held);
  const plan = held.plan?.digest ?? '';
  const about = `approved the plan ${plan.slice(0, 8)}…`;
  await operator('POST', `${base}/runs/${held.id}/approve`, 200, about, { plan });
  await ended(steps, held.id, 'done');
};

/** The file gets its name when it is complete. */
const exportEmployees = async (
  { files, output }: ConnectorSteps,
  employees: readonly string[],
): Promise<void> => {
  const part = join(files, 'people.part');
  await writeFile(part, [HEADER, ...employees, ''].join('\n'));
  await rename(part, join(files, 'people.csv'));
  output.note('HR', `wrote people.csv with ${employees.length} employees`);
};

const runOnce = async (
  steps: ConnectorSteps,
  body: object,
  state: RunView['state'],
): Promise<RunView> => {
  const { operator, slug } = steps;
  const { id = '' } = await operator(
    'POST',
    `/tenants/${slug}/connectors/${NAME}/runs`,
    201,
    (run) => ('plan_only' in body ? 'plans a run' : `starts ${run.id ?? ''}`),
    body,
  );
  return ended(steps, id, state);
};

const ENDED: readonly RunView['state'][] = ['planned', 'held', 'done', 'failed'];

/** Polls until the run has ended in this state. */
const ended = async (
  { url, adminToken, operator, slug }: ConnectorSteps,
  id: string,
  state: RunView['state'],
): Promise<RunView> => {
  const path = `/tenants/${slug}/connectors/${NAME}/runs/${id}`;
  const client = createApiClient(() => `${url}/admin/v1`, adminToken);
  const read = async () => (await client.expect(200, 'GET', path)).json() as RunView;
  let run = await read();
  await waitUntil(
    async () => ENDED.includes((run = await read()).state),
    () => `The run is still ${run.state}.`,
    { pollMs: 100 },
  );
  await operator('GET', path, 200, describeRun(run));
  check(run.state === state, `The run is ${run.state}: ${run.message ?? ''}`);
  return run;
};

const describeRun = ({ state, read, applied, planned }: RunView): string => {
  if (state === 'done') return `done: ${applied} applied`;
  const kinds = Object.entries(planned).map(([kind, count]) => `${count} ${kind}`);
  return `${state}: ${read} read, ${kinds.join(', ')}`;
};

const printPlan = async (
  { operator, output, slug }: ConnectorSteps,
  { id }: RunView,
): Promise<void> => {
  const { items = [] } = await operator(
    'GET',
    `/tenants/${slug}/connectors/${NAME}/runs/${id}/plan`,
    200,
    ({ items: found = [] }) => `${found.length} items`,
  );
  const table = renderTable<ItemView>(
    [
      { title: 'action', cell: ({ kind }) => kind },
      { title: 'record', cell: ({ record }) => record },
      { title: 'who', cell: ({ name }) => name },
      { title: 'what', cell: (item) => shownChanges(item).join('; ') },
      { title: 'why', cell: ({ why }) => why, wrapAt: 44 },
    ],
    items,
    output.paint,
  );
  output.line();
  for (const line of table.trimEnd().split('\n')) output.line(`    ${line}`);
  output.line();
};

/** The other attributes would fill the screen. */
const shownChanges = (item: ItemView): readonly string[] =>
  changeLines({
    ...item,
    changes: item.changes.filter(({ attribute }) => attribute === 'emails'),
  }).map((line) => line.replace('emails: - → ', ''));
