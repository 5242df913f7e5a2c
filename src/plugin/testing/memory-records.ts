import { changePluginRecords } from '../../domain/plugin/plugin-deciders.js';
import {
  type Facts,
  isRefused,
  LIMITS,
  type PluginRule,
  decideSync,
} from '../../domain/kernel/decider.js';
import type { CommandId, RecordId, TenantId } from '../../domain/kernel/ids.js';
import { refusalFor } from '../../domain/permissions.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { Change } from '../../domain/tables.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { newId, type Submission, type Submit } from '../../pipeline/submit.js';
import type { PluginRecords, PluginNotes, PluginDeliveries } from '../contract/host.js';
import type { JsonObject } from '../../domain/kernel/json.js';

/** A tenant and a plugin's records of it, changed as in the lane: by the real decider. */
interface MemoryRecords extends Pick<PluginRecords, 'list' | 'find'> {
  readonly tenant: () => Tenant;
  readonly all: () => readonly PluginRecord[];
  /** Runs changes of records; other commands are errors of the test. */
  readonly submit: Submit;
}

/** All that the decider reads: the records of its plugin. */
const factsOf = (
  tenant: Tenant,
  records: ReadonlyMap<string, PluginRecord>,
  now: () => Date,
): Facts => ({
  now: now(),
  seq: 0,
  tenant,
  changeCount: 0,
  limits: LIMITS,
  list: () => [...records.values()] as never,
  find: () => undefined,
  require: () => undefined,
  isLoaded: () => true,
  after: () => factsOf(tenant, records, now),
});

export const createMemoryRecords = (
  first: Tenant,
  ruleOf: (plugin: string, change: string) => PluginRule | undefined,
  now: () => Date,
): MemoryRecords => {
  let tenant = first;
  const records = new Map<RecordId, PluginRecord>();

  const apply = (change: Change): void => {
    if (change.table === 'tenant' && change.after) tenant = change.after;
    if (change.table !== 'pluginRecords') return;
    if (change.after) records.set(change.after.id, change.after);
    else if (change.before) records.delete(change.before.id);
  };

  const submit = ({ command, ...submission }: Submission) => {
    if (command.type !== 'plugin.change')
      throw new Error(`The test host runs no command ${command.type}.`);
    const forbidden = refusalFor(submission.actor, submission.source, command);
    if (forbidden) return { ok: false, refusal: forbidden };
    const decision = decideSync(
      changePluginRecords.decide(
        { id: newId<CommandId>(), ...submission, command },
        factsOf(tenant, records, now),
        { pluginRule: ruleOf },
      ),
    );
    if (isRefused(decision)) return { ok: false, refusal: decision.refusal };
    decision.changes.forEach(apply);
    return { ok: true, result: decision.result, changed: decision.changes.length > 0 };
  };

  return {
    tenant: () => tenant,
    all: () => [...records.values()],
    list: async (tenantId) => Promise.resolve(tenantId === tenant.id ? [...records.values()] : []),
    find: async (tenantId, id) =>
      Promise.resolve(tenantId === tenant.id ? records.get(id) : undefined),
    submit: (async (submission: Submission) => Promise.resolve(submit(submission))) as Submit,
  };
};

/** A plugin's notes in memory, and a view of them by the id of their record. */
export const createMemoryNotes = (): {
  readonly notes: ReadonlyMap<string, JsonObject>;
  readonly host: PluginNotes;
} => {
  const notes = new Map<string, JsonObject>();
  const marks = new Map<string, { readonly tenantId: TenantId; readonly mark?: string }>();
  return {
    notes,
    host: {
      read: async (_tenantId, ids) =>
        Promise.resolve(
          new Map(
            ids.flatMap((id) => {
              const note = notes.get(id);
              return note ? [[id, note] as const] : [];
            }),
          ),
        ),
      write: async (tenantId, id, note, mark) => {
        notes.set(id, note);
        marks.set(id, { tenantId, ...(mark !== undefined && { mark }) });
        return Promise.resolve();
      },
      marked: async (wanted) =>
        Promise.resolve(
          [...marks].flatMap(([id, { tenantId, mark }]) => {
            const note = notes.get(id);
            return mark === wanted && note ? [{ tenantId, id, note }] : [];
          }),
        ),
      unmark: async (tenantId, id, mark) => {
        if (marks.get(id)?.mark === mark) marks.set(id, { tenantId });
        return Promise.resolve();
      },
    },
  };
};

/** A plugin without deliveries. */
export const NO_DELIVERIES: PluginDeliveries = {
  list: () => Promise.resolve({ deliveries: [], total: 0 }),
  find: () => Promise.resolve(undefined),
  redeliver: () => Promise.resolve(false),
  recover: ({ id, since }) => {
    const at = new Date();
    return Promise.resolve({
      id,
      since,
      state: 'done',
      recovered: 0,
      createdAt: at,
      finishedAt: at,
    });
  },
  findRecovery: () => Promise.resolve(undefined),
};
