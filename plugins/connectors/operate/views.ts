import { idField, instantField, type PluginHost, textLike, z } from '../../../src/plugin/api.js';
import type { ItemOutcome } from '../run/plan-store.js';
import type { ConnectorService } from '../connector-service.js';
import type { PlanItem } from '../plan/plan-item.js';
import { classOf, ITEM_KINDS, PLAN_CLASSES } from '../plan/plan-item.js';
import {
  type QuarantinedRecord,
  RUN_MODES,
  RUN_STATES,
  type RunRecord,
} from '../run/run-record.js';
import { nextOccurrence } from '../schedule.js';
import { OutlookPart, outlookOf, summaryOf, takesAccess } from './plan-in-words.js';

const time = (description: string) => instantField(description).nullable();

/** A connector, for operators. */
export const ConnectorView = z
  .strictObject({
    name: textLike('bamboo-eu').describe('The key of its section in the configuration.'),
    use: textLike('bamboohr')
      .nullable()
      .describe('The name of the connector; null if it cannot be used.'),
    title: textLike('BambooHR'),
    state: z
      .enum(['ready', 'running', 'held', 'paused', 'quarantined', 'disabled', 'unusable'])
      .describe('`held`: a plan waits for approval. `quarantined`: most records failed.'),
    message: z.string().nullable().describe('Why it is in this state.'),
    is_paused: z.boolean().describe('Whether its schedule is paused, whatever its state.'),
    held_run: textLike('run-2d1zlmkzi80-b2fbbf')
      .nullable()
      .describe('Id of the newest run that waits for approval.'),
    open_run: textLike('run-2d1zlmkzi80-b2fbbf').nullable().describe('Id of the run in progress.'),
    tried_against: z
      .enum(['server', 'description'])
      .nullable()
      .describe(
        '`server`: tested with the real software. `description`: tested with servers built from ' +
          "the vendor's published description, never with the vendor's service.",
      ),
    has_deltas: z.boolean(),
    last_success_at: time('When the last run was applied.'),
    last_run: textLike('run-2d1zlmkzi80-b2fbbf').nullable().describe('Id of the newest run.'),
    last_run_state: z.enum(RUN_STATES).nullable(),
    next_full_at: time('When everybody is read next.'),
    next_delta_at: time('When changes are read next.'),
    quarantined_records: z.int().describe('Up to 1,000.'),
    deferred: z
      .array(
        z.strictObject({
          record: textLike('4711').describe('Id in the source.'),
          name: textLike('Ada Lovelace'),
          user_id: idField('The user, who is still active.').nullable(),
          claimed_by: textLike('4712').describe('Id of the other record.'),
          until: instantField('When the user is deactivated, unless the other record is applied.'),
          why: textLike('Joins Dispatch; changes title.'),
        }),
      )
      .describe(
        'Records that have ended, and whose users stay active for now: another record, which cannot be ' +
          'used yet, claims them. Up to 500.',
      ),
  })
  .meta({ id: 'Connector' });
export type ConnectorView = z.output<typeof ConnectorView>;

const Finding = z.strictObject({
  guard: textLike('deactivations'),
  message: textLike("388 of the connector's 800 active users are missing."),
});

/** A run, for operators. */
export const RunView = z
  .strictObject({
    id: textLike('run-2d1zlmkzi80-b2fbbf'),
    tenant: z.string(),
    connector: textLike('bamboo-eu'),
    mode: z.enum(RUN_MODES).describe('`dates`: no read; what stored dates change today.'),
    state: z.enum(RUN_STATES).meta({ examples: ['held'] }),
    trigger: z.enum(['schedule', 'catch-up', 'operator', 'first', 'upload']),
    plan_only: z.boolean(),
    requested_by: textLike('Grace Hopper').nullable(),
    created_at: instantField('When it was requested.'),
    started_at: time('When it started.'),
    finished_at: time('When it ended.'),
    read: z.int().describe('Records read.'),
    staged: z.int().describe('Records stored for planning.'),
    unchanged: z.int().describe('Records that change nothing.'),
    applied: z.int().describe('Planned items that were applied.'),
    failed: z.int().describe('Records that failed; they are in quarantine.'),
    per_second: z.int().nullable().describe('Records per second; null unless it runs here.'),
    planned: z.partialRecord(z.enum(ITEM_KINDS), z.int()).describe('Items of the plan, by kind.'),
    summary: textLike('2 lose access, 3 are changed').describe(
      'The plan in a few words, for lists.',
    ),
    outlook: z
      .array(OutlookPart)
      .describe(
        'What the plan does at once, later and not, the riskiest first. Without a plan: empty.',
      ),
    takes_access: z
      .boolean()
      .describe('Whether the plan deactivates users or takes them out of groups at once.'),
    plan: z
      .strictObject({
        digest: textLike('9f2c4b7d1a3e5c6f8091a2b3c4d5e6f7').describe('An approval names it.'),
        deactivations: z.int(),
        email_changes: z.int(),
        findings: z.array(Finding).describe('Why it needs an approval; empty: it needs none.'),
        first: z
          .strictObject({
            matched: z.int().describe('Records that an existing user stands for.'),
            new: z.int().describe('Records that would become new users.'),
            only_here: z.int().describe('Active users that no record of any connector stands for.'),
            only_here_users: z
              .array(z.strictObject({ id: z.string(), name: textLike('Ada Lovelace') }))
              .describe('The first 200 of them; a run leaves them alone.'),
          })
          .nullable()
          .describe('Of a full read before the first success of the connector; else null.'),
      })
      .nullable(),
    expires_at: time('Until when a held plan can be approved.'),
    approved_by: textLike('Grace Hopper').nullable(),
    approved_at: time('When it was approved.'),
    message: z.string().nullable(),
    warnings: z.array(textLike('title was changed by another interface and stays.')),
  })
  .meta({ id: 'ConnectorRun' });
export type RunView = z.output<typeof RunView>;

/** The commands that decide about a held run: to approve exactly its plan, or to reject it. */
export const decisionCommands = ({
  state,
  tenant,
  connector,
  id,
  plan,
}: RunView): readonly string[] =>
  state === 'held' && plan
    ? [
        `rollgate connector approve ${tenant} ${connector} ${id} --plan ${plan.digest}`,
        `rollgate connector reject ${tenant} ${connector} ${id}`,
      ]
    : [];

/** An item of a plan, for operators. */
export const ItemView = z
  .strictObject({
    index: z.int(),
    record: textLike('4711').describe('Id in the source.'),
    kind: z.enum(ITEM_KINDS).meta({ examples: ['update'] }),
    class: z
      .enum(PLAN_CLASSES)
      .meta({ examples: ['update'] })
      .describe('`leave` for all who leave a group, else the kind.'),
    user_id: idField('Null for a user that the plan would create.').nullable(),
    name: textLike('Ada Lovelace'),
    why: textLike('Joins Dispatch; changes title.'),
    changes: z.array(
      z.strictObject({
        attribute: textLike('title'),
        before: z.unknown().meta({ examples: ['Driver'] }),
        after: z.unknown().meta({ examples: ['Dispatcher'] }),
      }),
    ),
    groups: z.array(z.strictObject({ op: z.enum(['add', 'remove']), name: textLike('Dispatch') })),
    manager: z.string().nullable().optional().describe('Record id of the new manager.'),
    warnings: z.array(textLike('title was changed by another interface and stays.')),
    outcome: z
      .enum(['planned', 'applied', 'failed', 'stale', 'skipped'])
      .describe(
        '`stale`: the record had changed; the next run plans it again. `skipped`: the run was stopped ' +
          'before.',
      ),
    code: textLike('EMAIL_TAKEN').nullable().describe('The error code, of `failed`.'),
    message: z.string().nullable(),
  })
  .meta({ id: 'ConnectorPlanItem' });
export type ItemView = z.output<typeof ItemView>;

/** A record in quarantine, for operators. */
export const QuarantineView = z
  .strictObject({
    record: textLike('4711').describe('Id in the source.'),
    name: textLike('Ada Lovelace'),
    code: textLike('EMAIL_TAKEN'),
    message: textLike('Another user has this e-mail address.'),
    failures: z.int(),
    first_at: instantField('When it failed first.'),
    last_at: instantField('When it failed last.'),
    next_at: time('When it is tried again; null: only on request, or when it changes.'),
    is_ignored: z.boolean(),
    run: textLike('run-2d1zlmkzi80-b2fbbf').describe('The run in which it failed last.'),
  })
  .meta({ id: 'QuarantinedRecord' });

export const runView = (run: RunRecord, service: ConnectorService): RunView => {
  const { counts, plan } = run;
  const progress = service.progress(run.id);
  const shown = progress?.counts ?? counts;
  return {
    id: run.id,
    tenant: service.configured.tenant,
    connector: run.connector,
    mode: run.mode,
    state: run.state,
    trigger: run.trigger,
    plan_only: run.isPlanOnly,
    requested_by: run.requestedBy,
    created_at: run.createdAt,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    read: Math.max(shown.read, counts.read),
    staged: Math.max(shown.staged, counts.staged),
    unchanged: counts.unchanged,
    applied: Math.max(shown.applied, counts.applied),
    failed: Math.max(shown.failed, counts.failed),
    per_second: progress?.perSecond ?? null,
    planned: counts.planned,
    summary: summaryOf(run),
    outlook: outlookOf(run),
    takes_access: takesAccess(run),
    plan: plan && {
      digest: plan.digest,
      deactivations: plan.deactivations,
      email_changes: plan.emailChanges,
      findings: plan.findings.map(({ guard, message }) => ({ guard, message })),
      first: plan.onlyHere
        ? {
            matched: counts.planned.link ?? 0,
            new: counts.planned.create ?? 0,
            only_here: plan.onlyHere.count,
            only_here_users: plan.onlyHere.users.map(({ id, name }) => ({ id, name })),
          }
        : null,
    },
    expires_at: run.state === 'held' ? run.expiresAt : null,
    approved_by: run.approvedBy,
    approved_at: run.approvedAt,
    message: run.message,
    warnings: [...run.warnings],
  };
};

export const itemView = (
  index: number,
  item: PlanItem,
  {
    outcome,
    isReached,
  }: {
    readonly outcome: ItemOutcome | undefined;
    /** Whether the run has come past it. */
    readonly isReached: boolean;
  },
): ItemView => {
  const result = outcome?.outcome ?? (isReached ? 'applied' : 'planned');
  return {
    index,
    record: item.sourceId,
    kind: item.kind,
    class: classOf(item),
    user_id: item.kind === 'create' && result !== 'applied' ? null : item.userId,
    name: item.label,
    why: item.why,
    changes: item.changes.map(({ attribute, before, after }) => ({
      attribute,
      before: before as never,
      after: after as never,
    })),
    groups: item.groups.map(({ op, name }) => ({ op, name })),
    ...(item.manager !== undefined && { manager: item.manager }),
    warnings: [...(item.warnings ?? [])],
    outcome: result,
    code: outcome?.code ?? null,
    message: outcome?.message ?? null,
  };
};

export const quarantineView = (record: QuarantinedRecord) => ({
  record: record.sourceId,
  name: record.label,
  code: record.code,
  message: record.message,
  failures: record.failures,
  first_at: record.firstAt,
  last_at: record.lastAt,
  next_at: record.nextAt,
  is_ignored: record.isIgnored,
  run: record.runId,
});

/** What operators see of a connector, from a few reads. */
export const connectorView = async (
  service: ConnectorService,
  { now }: Pick<PluginHost, 'now'>,
): Promise<ConnectorView> => {
  const { configured } = service;
  const { connector, name } = configured;
  const { problem, isQuarantined, memory, control, runs, deferred } = await service.condition();
  const isUsable = problem === null && configured.isEnabled;
  const quarantine = isUsable ? await (await service.store()).quarantine.list(1_000) : [];
  const [held] = runs.held;
  const last = runs.newest;
  const [state, message]: [ConnectorView['state'], string | null] =
    problem !== null
      ? ['unusable', problem]
      : !configured.isEnabled
        ? ['disabled', null]
        : isQuarantined
          ? ['quarantined', memory.quarantineReason]
          : held
            ? ['held', held.message]
            : control.isPaused
              ? ['paused', `Paused by ${control.pausedBy ?? 'an operator'}.`]
              : runs.open.length > 0
                ? ['running', null]
                : ['ready', last?.state === 'failed' ? last.message : null];
  const schedule = isUsable ? service.compiled().options.schedule : undefined;
  const next = (mode: 'full' | 'delta'): string | null =>
    schedule ? (nextOccurrence(name, schedule, mode, now())?.toISOString() ?? null) : null;
  return {
    name,
    use: connector?.name ?? null,
    title: connector?.title ?? name,
    state,
    message,
    is_paused: control.isPaused,
    held_run: held?.id ?? null,
    open_run: runs.open[0]?.id ?? null,
    tried_against: connector?.triedAgainst ?? null,
    has_deltas: connector?.deltas !== undefined,
    last_success_at: memory.lastSuccessAt,
    last_run: last?.id ?? null,
    last_run_state: last?.state ?? null,
    next_full_at: next('full'),
    next_delta_at: next('delta'),
    quarantined_records: quarantine.length,
    deferred: deferred.map(({ sourceId, label, userId, deferred: { record, until, why } }) => ({
      ...{ record: sourceId, name: label, user_id: userId },
      ...{ claimed_by: record, until, why },
    })),
  };
};
