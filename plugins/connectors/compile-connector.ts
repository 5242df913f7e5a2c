import type { Connector } from '../../src/plugin/api.js';
import type { ConfiguredConnector } from '../../src/plugin/connectors-api.js';
import { lifecycleFields, lifecycleRules, type LifecycleRules } from './lifecycle.js';
import { hashOf } from './link.js';
import { attributeOf, MANAGER, targetOf } from './mapping/attributes.js';
import { type CompiledMapping, compileMapping, mergeMapping } from './mapping/compile-mapping.js';
import type { Evaluate } from './mapping/jsonata-process.js';
import { fieldsOf } from './mapping/read-path.js';
import type { ConnectorOptions } from './options.js';
import { compileMatch, type Correlation } from './identify/correlate.js';
import { groupFields } from './mapping/group-rules.js';
import type { PlanRules } from './plan/plan-record.js';

/** A connector with its options, ready for its records. */
export interface CompiledConnector {
  readonly name: string;
  readonly connector: Connector;
  readonly options: ConnectorOptions;
  readonly mapping: CompiledMapping;
  readonly match: readonly Correlation[];
  readonly lifecycle: LifecycleRules;
  readonly rules: PlanRules;
  /** The fields of a record that are kept; null: all. */
  readonly fields: readonly string[] | null;
  /** The fields that options name: what follows from them is wrong if the source loses them. */
  readonly named: readonly string[];
  /** Of what decides how a record is planned: part of each record's hash. */
  readonly digest: string;
}

/** Throws a RangeError with a sentence for operators. */
export const compileConnector = (
  { name, connector, options: given }: Pick<ConfiguredConnector, 'name' | 'connector' | 'options'>,
  evaluate?: Evaluate,
): CompiledConnector => {
  if (!connector) throw new RangeError('The connector cannot be used.');
  const options = given as ConnectorOptions;
  const rules = mergeMapping(connector.mapping, options.map);
  const mapping = compileMapping(rules, evaluate);
  const lifecycle = lifecycleRules(
    connector.lifecycle,
    options.lifecycle,
    options.schedule.timezone,
  );
  const match = compileMatch(options.match);
  const matchFields = options.match.flatMap((key) =>
    typeof key === 'string' ? [] : fieldsOf(key.source),
  );
  const mapped = new Set([...mapping.targets].map(attributeOf));
  const owned = options.authoritativeFor
    ? new Set(
        options.authoritativeFor
          .map(targetOf)
          .map(attributeOf)
          .filter((one) => mapped.has(one)),
      )
    : mapped;
  const named = [
    ...new Set([
      ...mapping.named,
      ...lifecycleFields(lifecycle),
      ...groupFields(options.groups),
      ...matchFields,
    ]),
  ];
  return {
    name,
    connector,
    options,
    mapping,
    match,
    lifecycle,
    rules: {
      connector: name,
      owned,
      setsManager: mapping.targets.has(MANAGER),
      conflicts: options.conflicts,
      missingRuns: options.lifecycle.missingRuns,
    },
    fields: mapping.fields && named,
    named,
    digest: hashOf(
      JSON.parse(
        JSON.stringify([rules, lifecycle, options.groups, [...owned].sort(), options.conflicts]),
      ) as never,
    ),
  };
};
