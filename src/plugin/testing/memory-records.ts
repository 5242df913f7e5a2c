import { changePluginRecords } from '../../domain/plugin/plugin-deciders.js';
import {
  type Facts,
  isRefused,
  LIMITS,
  type PluginRule,
  decideSync,
} from '../../domain/kernel/decider.js';
import type { CommandId, RecordId } from '../../domain/kernel/ids.js';
import { refusalFor } from '../../domain/permissions.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { Change } from '../../domain/tables.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { newId, type Submission, type Submit } from '../../pipeline/submit.js';
import type { PluginRecords } from '../contract/host.js';

/** A tenant and a plugin's records of it, changed as in the lane: by the real decider. */
export interface MemoryRecords extends Pick<PluginRecords, 'list' | 'find'> {
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
