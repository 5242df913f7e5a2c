import { requireTenant } from '../kernel/requirements.js';
import type { Change } from '../tables.js';
import type { Decider } from '../kernel/decider.js';

/**
 * Applies a plugin's rule to its records. Each change increments the tenant's version of the plugin,
 * so that every instance reads the records again before it sends the next event (pipeline-rules.md 8).
 */
export const changePluginRecords: Decider<'plugin.change'> = {
  lookups: ({ plugin }) => [{ table: 'pluginRecords', index: 'plugin', key: plugin }],
  decide: ({ tenantId, command }, facts, rules) => {
    const { now, seq } = facts;
    const tenant = requireTenant(facts);
    const { plugin, change, input, recordId } = command;
    const rule = rules.pluginRule(plugin, change);
    if (!rule) throw new Error(`The plugin ${plugin} declares no rule "${change}".`);
    const records = facts.list('pluginRecords', 'plugin', plugin);
    const decided = rule(input, {
      now,
      seq,
      records,
      newRecord: (data) => ({ id: recordId, tenantId, plugin, data, version: 1, createdAt: now }),
    });
    if ('refusal' in decided) return decided;
    const byId = new Map(records.map((record) => [record.id, record]));
    const changes: Change[] = [
      ...(decided.put ?? []).map((record): Change => ({
        table: 'pluginRecords',
        before: byId.get(record.id) ?? null,
        after: record,
      })),
      ...(decided.remove ?? []).map((record): Change => ({
        table: 'pluginRecords',
        before: record,
        after: null,
      })),
    ];
    if (changes.length > 0) {
      const versions = tenant.pluginVersions;
      const after = {
        ...tenant,
        pluginVersions: { ...versions, [plugin]: (versions[plugin] ?? 0) + 1 },
      };
      changes.push({ table: 'tenant', before: tenant, after });
    }
    const { result, unlogged } = decided;
    return { changes, events: [], result, ...(unlogged && { unlogged }) };
  },
};
