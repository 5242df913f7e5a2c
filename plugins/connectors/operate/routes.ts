import {
  CSV_TYPE,
  PAGE_FIELDS,
  pageOf,
  type PluginHost,
  raise,
  type Route,
  type Tenant,
  type TenantOperator,
  tenantRoute,
  z,
} from '../../../src/plugin/api.js';
import {
  CONNECTOR_DISABLED,
  CONNECTOR_NOT_FOUND,
  CONNECTOR_PLAN_OUTDATED,
  CONNECTOR_RECORD_NOT_FOUND,
  CONNECTOR_RUN_ENDED,
  CONNECTOR_RUN_NOT_FOUND,
  CONNECTOR_RUNNING,
  CONNECTOR_UNREACHABLE,
  TAG,
} from '../declarations.js';
import { readPlan, reportOf } from './run-report.js';
import { MappingPreview, PreviewInput, previewMapping } from './preview-mapping.js';
import type { ConnectorService } from '../connector-service.js';
import { PLAN_CLASSES } from '../plan/plan-item.js';
import {
  connectorView,
  ConnectorView,
  ItemView,
  QuarantineView,
  quarantineView,
  RunView,
  runView,
} from './views.js';

export interface RouteParts {
  readonly host: Pick<PluginHost, 'now'>;
  readonly services: readonly ConnectorService[];
}

const tag = TAG;
const ONE = z.object({ connector: z.string() });
const RUN = z.object({ connector: z.string(), run: z.string() });
const BASE = '/connectors';
const ITEM = `${BASE}/{connector}`;
const LIMIT = PAGE_FIELDS.limit;
const AFTER = z.string().optional().describe('`next` of the page before.');

const USABLE = [CONNECTOR_NOT_FOUND, CONNECTOR_DISABLED];

/** With `next`, from which the following page continues. */
const cursorPage = <Name extends string, Item extends z.ZodType>(
  name: Name,
  item: Item,
  id: string,
) =>
  z
    .strictObject({
      ...({ [name]: z.array(item) } as { readonly [N in Name]: z.ZodArray<Item> }),
      next: z.string().nullable().describe('Pass it as `after`; null: the last page.'),
    })
    .meta({ id });

const nameOf = ({ actor }: TenantOperator): string => actor.name;

interface Context extends RouteParts {
  readonly servicesOf: (tenant: Tenant) => readonly ConnectorService[];
  readonly find: (caller: TenantOperator, connector: string) => ConnectorService;
  /** Refuses a connector that cannot be used. */
  readonly usable: (caller: TenantOperator, connector: string) => ConnectorService;
}

/** Operators' routes of connectors (decisions.md 8). */
export const connectorRoutes = (parts: RouteParts): readonly Route[] => {
  const servicesOf = ({ slug }: Tenant): readonly ConnectorService[] =>
    parts.services.filter(({ configured }) => configured.tenant === slug);

  const find = ({ tenant }: TenantOperator, connector: string): ConnectorService =>
    servicesOf(tenant).find(({ configured }) => configured.name === connector) ??
    raise(
      CONNECTOR_NOT_FOUND,
      `The tenant has no connector "${connector}". List them: rollgate connector list ` +
        `${tenant.slug}. After a change of the configuration, restart the gateway.`,
    );

  const usable = (caller: TenantOperator, connector: string): ConnectorService => {
    const service = find(caller, connector);
    service.compiled();
    return service;
  };

  const context = { ...parts, servicesOf, find, usable };
  return [
    ...sourceRoutes(context),
    ...mappingRoutes(context),
    ...runRoutes(context),
    ...planRoutes(context),
    ...decisionRoutes(context),
    ...recordRoutes(context),
    ...scheduleRoutes(context),
  ];
};

const findRun = async (service: ConnectorService, id: string) =>
  (await (await service.store()).run(id)) ??
  raise(
    CONNECTOR_RUN_NOT_FOUND,
    `The connector ${service.configured.name} has no run with this id.`,
  );

const sourceRoutes = ({ host, servicesOf, find, usable }: Context): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: BASE,
    operationId: 'listConnectors',
    tag,
    summary: 'List connectors',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'The connectors.',
        body: pageOf('connectors', ConnectorView, 'ConnectorList'),
      },
    },
    handler: async ({ caller, query: { limit, offset } }) => {
      const all = servicesOf(caller.tenant);
      const connectors = await Promise.all(
        all.slice(offset, offset + limit).map((service) => connectorView(service, host)),
      );
      return { status: 200, body: { connectors, total: all.length, limit, offset } };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getConnector',
    tag,
    summary: 'Get a connector',
    params: ONE,
    responses: { 200: { description: 'The connector.', body: ConnectorView } },
    refusals: [CONNECTOR_NOT_FOUND],
    handler: async ({ caller, params }) => ({
      status: 200,
      body: await connectorView(find(caller, params.connector), host),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: `${ITEM}/check`,
    operationId: 'checkConnector',
    role: 'operator',
    tag,
    summary: 'Check the source of a connector',
    params: ONE,
    responses: {
      200: {
        description: 'Whether the source can be read.',
        body: z
          .strictObject({
            ok: z.boolean(),
            kind: z.string().nullable().describe('Why not: config, auth, permission …'),
            message: z.string(),
          })
          .meta({ id: 'ConnectorCheck' }),
      },
    },
    refusals: USABLE,
    handler: async ({ caller, params, signal }) => {
      const result = await usable(caller, params.connector).check(signal);
      return {
        status: 200,
        body: { ok: result.ok, kind: result.ok ? null : result.kind, message: result.message },
      };
    },
  }),
];

const mappingRoutes = ({ host, usable }: Context): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: `${ITEM}/fields`,
    operationId: 'listConnectorFields',
    tag,
    summary: 'List the fields of a source',
    description: 'For writing mappings. Each request reads the source again.',
    params: ONE,
    responses: {
      200: {
        description: 'The fields.',
        body: z
          .strictObject({
            fields: z.array(
              z.strictObject({
                path: z.string(),
                title: z.string().nullable(),
                type: z.string().nullable(),
              }),
            ),
          })
          .meta({ id: 'ConnectorFields' }),
      },
    },
    refusals: [...USABLE, CONNECTOR_UNREACHABLE],
    handler: async ({ caller, params, signal }) => {
      const service = usable(caller, params.connector);
      const found =
        (await service.discover(signal)) ??
        (service.compiled().mapping.fields ?? []).map((path) => ({ path }));
      const fields = found.map((field) => ({
        path: field.path,
        title: ('title' in field ? field.title : undefined) ?? null,
        type: ('type' in field ? field.type : undefined) ?? null,
      }));
      return { status: 200, body: { fields } };
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${ITEM}/mapping/preview`,
    operationId: 'previewConnectorMapping',
    role: 'operator',
    tag,
    summary: 'Preview what records become',
    description:
      'Maps a sample, or records of the source, with the configured rules or with edited ones, finds ' +
      'the users that exist, and plans each record as a run would. Nothing is written. Secrets and ' +
      'phone numbers are masked.',
    params: ONE,
    body: PreviewInput,
    responses: { 200: { description: 'The records and their users.', body: MappingPreview } },
    refusals: [...USABLE, CONNECTOR_UNREACHABLE],
    handler: async ({ caller, params, body, signal }) => {
      const service = usable(caller, params.connector);
      return {
        status: 200,
        body: await previewMapping(service, body, { now: host.now, signal }),
      };
    },
  }),
];

const runRoutes = ({ usable }: Context): readonly Route[] => [
  tenantRoute({
    method: 'POST',
    path: `${ITEM}/runs`,
    operationId: 'startConnectorRun',
    role: 'operator',
    tag,
    summary: 'Start a run, or only plan one',
    description: 'The run continues in the background; poll it.',
    params: ONE,
    body: z
      .strictObject({
        mode: z
          .enum(['full', 'delta', 'dates'])
          .optional()
          .describe('Default: full; ignored with `records`.'),
        plan_only: z.boolean().optional().describe('End with the plan; nothing is changed.'),
        records: z
          .array(z.string().min(1).max(200))
          .min(1)
          .max(100)
          .optional()
          .describe('Only these records, by their id in the source.'),
      })
      .meta({ id: 'ConnectorRunInput', examples: [{ mode: 'full', plan_only: true }] }),
    responses: { 201: { description: 'The run.', body: RunView } },
    refusals: [...USABLE, CONNECTOR_RUNNING],
    handler: async ({ params, body, caller }) => {
      const service = usable(caller, params.connector);
      const { mode = 'full', records, plan_only: isPlanOnly = false } = body;
      const run = await service.start({
        mode: records ? 'ids' : mode,
        trigger: 'operator',
        isPlanOnly,
        ...(records && { ids: records }),
        requestedBy: nameOf(caller),
      });
      const location = `/connectors/${params.connector}/runs/${run.id}`;
      return { status: 201, body: runView(run, service), location };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${ITEM}/runs`,
    operationId: 'listConnectorRuns',
    tag,
    summary: 'List runs',
    description: 'Newest first. Runs are kept for 90 days.',
    params: ONE,
    query: z.strictObject({ limit: LIMIT, after: AFTER }),
    responses: {
      200: { description: 'The runs.', body: cursorPage('runs', RunView, 'ConnectorRunList') },
    },
    refusals: USABLE,
    handler: async ({ caller, params, query: { limit, after } }) => {
      const service = usable(caller, params.connector);
      const runs = await (await service.store()).runs(limit, after);
      const next = runs.length === limit ? (runs.at(-1)?.id ?? null) : null;
      return {
        status: 200,
        body: { runs: runs.map((run) => runView(run, service)), next },
      };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${ITEM}/runs/{run}`,
    operationId: 'getConnectorRun',
    tag,
    summary: 'Get a run and its progress',
    params: RUN,
    responses: { 200: { description: 'The run.', body: RunView } },
    refusals: [...USABLE, CONNECTOR_RUN_NOT_FOUND],
    handler: async ({ caller, params }) => {
      const service = usable(caller, params.connector);
      const run = await findRun(service, params.run);
      return { status: 200, body: runView(run, service) };
    },
  }),
];

const planRoutes = ({ usable }: Context): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: `${ITEM}/runs/{run}/plan`,
    operationId: 'getConnectorPlan',
    tag,
    summary: 'List what a run plans or has done, record by record',
    description:
      'Records that change nothing are only counted. A record that was matched before keeps its user. ' +
      'Others are compared with all users by the keys of `match` in the configuration, in order: the first ' +
      'key that finds a user decides, several users put the record into quarantine, and without one a ' +
      'user is created.',
    params: RUN,
    query: z.strictObject({
      limit: LIMIT,
      after: AFTER,
      class: z.enum(PLAN_CLASSES).optional().describe('Only these people.'),
    }),
    responses: {
      200: { description: 'Items.', body: cursorPage('items', ItemView, 'ConnectorPlan') },
    },
    refusals: [...USABLE, CONNECTOR_RUN_NOT_FOUND],
    handler: async ({ caller, params, query: { limit, after, class: of }, signal }) => {
      const service = usable(caller, params.connector);
      const run = await findRun(service, params.run);
      const from = after === undefined || !/^\d{1,9}$/.test(after) ? 0 : Number(after) + 1;
      const page = { from, limit, of, signal };
      return { status: 200, body: await readPlan(await service.store(), run, page) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${ITEM}/runs/{run}/report`,
    operationId: 'getConnectorRunReport',
    tag,
    summary: 'Download what a run has done, a line per person',
    description:
      'CSV (RFC 4180): all people in the plan, with the outcome so far, and records that could ' +
      'not be planned. An apostrophe precedes text that a spreadsheet would run as a formula.',
    params: RUN,
    responses: { 200: { description: 'The report.', mediaTypes: ['text/csv'] } },
    refusals: [...USABLE, CONNECTOR_RUN_NOT_FOUND],
    handler: async ({ caller, params, signal }) => {
      const service = usable(caller, params.connector);
      const run = await findRun(service, params.run);
      const chunks = reportOf(await service.store(), run, signal);
      return { status: 200, file: { type: CSV_TYPE, name: `${run.id}.csv`, chunks } };
    },
  }),
];

const decisionRoutes = ({ usable }: Context): readonly Route[] => [
  tenantRoute({
    method: 'POST',
    path: `${ITEM}/runs/{run}/approve`,
    operationId: 'approveConnectorRun',
    role: 'operator',
    stepUp: true,
    tag,
    summary: 'Approve the plan of a held run',
    description:
      'Applies exactly the plan with this digest, once. A plan can be approved for 24 hours, unless ' +
      'a newer run is in progress, has another plan, or has read the source since.',
    params: RUN,
    body: z
      .strictObject({ plan: z.string().min(1).max(64).describe('The digest of the plan.') })
      .meta({ id: 'PlanApproval', examples: [{ plan: '9f2c4b7d1a3e5c6f8091a2b3c4d5e6f7' }] }),
    responses: { 200: { description: 'The run.', body: RunView } },
    refusals: [...USABLE, CONNECTOR_RUN_NOT_FOUND, CONNECTOR_PLAN_OUTDATED],
    handler: async ({ params, body, caller }) => {
      const service = usable(caller, params.connector);
      const run = await service.approve(params.run, body.plan, nameOf(caller));
      return { status: 200, body: runView(run, service) };
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${ITEM}/runs/{run}/reject`,
    operationId: 'rejectConnectorRun',
    role: 'operator',
    stepUp: true,
    tag,
    summary: 'Reject the plan of a held run',
    params: RUN,
    responses: { 200: { description: 'The run.', body: RunView } },
    refusals: [...USABLE, CONNECTOR_RUN_NOT_FOUND, CONNECTOR_PLAN_OUTDATED],
    handler: async ({ params, caller }) => {
      const service = usable(caller, params.connector);
      const run = await service.reject(params.run, nameOf(caller));
      return { status: 200, body: runView(run, service) };
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${ITEM}/runs/{run}/cancel`,
    operationId: 'cancelConnectorRun',
    role: 'operator',
    tag,
    summary: 'Cancel a run in progress',
    description:
      'What has begun ends, and nothing more begins: poll the run. Its message says what was done.',
    params: RUN,
    responses: { 200: { description: 'The run.', body: RunView } },
    refusals: [...USABLE, CONNECTOR_RUN_NOT_FOUND, CONNECTOR_RUN_ENDED],
    handler: async ({ params, caller }) => {
      const service = usable(caller, params.connector);
      const run = await service.cancel(params.run, nameOf(caller));
      return { status: 200, body: runView(run, service) };
    },
  }),
];

const recordRoutes = ({ usable }: Context): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: `${ITEM}/quarantine`,
    operationId: 'listQuarantinedRecords',
    tag,
    summary: 'List records in quarantine',
    params: ONE,
    query: z.strictObject({ limit: LIMIT, after: AFTER }),
    responses: {
      200: {
        description: 'The records.',
        body: cursorPage('records', QuarantineView, 'QuarantinedRecordList'),
      },
    },
    refusals: USABLE,
    handler: async ({ caller, params, query: { limit, after } }) => {
      const store = await usable(caller, params.connector).store();
      const records = await store.quarantine.list(limit, after);
      const next = records.length === limit ? (records.at(-1)?.sourceId ?? null) : null;
      return { status: 200, body: { records: records.map(quarantineView), next } };
    },
  }),
  ...(['retry', 'ignore'] as const).map((action) =>
    tenantRoute({
      method: 'POST',
      path: `${ITEM}/quarantine/${action}`,
      operationId: `${action}QuarantinedRecord`,
      role: 'operator',
      tag,
      summary:
        action === 'retry'
          ? 'Try a record in quarantine again with the next run'
          : 'Ignore a record in quarantine until it changes',
      params: ONE,
      body: z
        .strictObject({ record: z.string().min(1).max(200).describe('Id in the source.') })
        .meta({
          id: `${action === 'retry' ? 'Retried' : 'Ignored'}Record`,
          examples: [{ record: '4711' }],
        }),
      responses: { 204: { description: 'Done.' } },
      refusals: [...USABLE, CONNECTOR_RECORD_NOT_FOUND],
      handler: async ({ caller, params, body }) => {
        await usable(caller, params.connector)[action](body.record);
        return { status: 204 };
      },
    }),
  ),
];

const scheduleRoutes = ({ host, usable }: Context): readonly Route[] => [
  ...(['pause', 'resume'] as const).map((action) =>
    tenantRoute({
      method: 'POST',
      path: `${ITEM}/${action}`,
      operationId: `${action}Connector`,
      role: 'operator',
      tag,
      summary:
        action === 'pause'
          ? 'Pause the schedule of a connector, and cancel its run in progress'
          : 'Resume a connector that is paused or in quarantine',
      params: ONE,
      responses: { 200: { description: 'The connector.', body: ConnectorView } },
      refusals: USABLE,
      handler: async ({ params, caller }) => {
        const service = usable(caller, params.connector);
        await service.pause(action === 'pause', nameOf(caller));
        return { status: 200, body: await connectorView(service, host) };
      },
    }),
  ),
];
