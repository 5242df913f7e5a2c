import { changePluginRecords } from '../../domain/decide/change-plugin-records.js';
import {
  type Facts,
  isRefused,
  type PluginRule,
  verdictAtOnce,
} from '../../domain/decide/decider.js';
import { LIMITS } from '../../domain/decide/limits.js';
import type { CommandId, RecordId } from '../../domain/ids.js';
import type { PluginRecord } from '../../domain/plugin-record.js';
import { RefusalError } from '../../domain/refusals.js';
import type { Change } from '../../domain/tables.js';
import type { Tenant } from '../../domain/tenant.js';
import { newId } from '../../pipeline/new-id.js';
import type { PluginRecords } from '../contract.js';

/** A tenant and a plugin's records of it, changed as the lane does it: by the real decider. */
export interface BenchRecords extends PluginRecords {
  readonly tenant: () => Tenant;
  readonly all: () => readonly PluginRecord[];
}

/** All that the decider asks: the records of its plugin. */
const factsOf = (tenant: Tenant, records: ReadonlyMap<string, PluginRecord>): Facts => ({
  now: new Date(),
  tenant,
  changeCount: 0,
  limits: LIMITS,
  list: () => [...records.values()] as never,
  find: () => undefined,
  require: () => undefined,
  knows: () => true,
  after: () => factsOf(tenant, records),
});

export const createBenchRecords = (
  plugin: string,
  first: Tenant,
  ruleOf: (change: string) => PluginRule | undefined,
): BenchRecords => {
  let tenant = first;
  const records = new Map<RecordId, PluginRecord>();

  const apply = (change: Change): void => {
    if (change.table === 'tenant' && change.after) tenant = change.after;
    if (change.table !== 'pluginRecords') return;
    if (change.after) records.set(change.after.id, change.after);
    else if (change.before) records.delete(change.before.id);
  };

  const change: PluginRecords['change'] = async ({ submit: _submit, ...request }, name, input) => {
    const command = {
      type: 'plugin.change',
      plugin,
      change: name,
      recordId: newId<RecordId>(),
      input,
    } as const;
    const verdict = verdictAtOnce(
      changePluginRecords.decide(
        { id: newId<CommandId>(), ...request, command },
        factsOf(tenant, records),
        { applyPatch: (profile) => profile, pluginRule: (_plugin, rule) => ruleOf(rule) },
      ),
    );
    if (isRefused(verdict)) throw new RefusalError(verdict.refusal);
    verdict.changes.forEach(apply);
    return Promise.resolve(verdict.result);
  };

  return {
    tenant: () => tenant,
    all: () => [...records.values()],
    list: async (tenantId) => Promise.resolve(tenantId === tenant.id ? [...records.values()] : []),
    find: async (tenantId, id) =>
      Promise.resolve(tenantId === tenant.id ? records.get(id) : undefined),
    change,
  };
};
