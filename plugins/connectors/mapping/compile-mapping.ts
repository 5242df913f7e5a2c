import {
  type JsonObject,
  type JsonValue,
  type Mapping,
  type MappingRule,
} from '../../../src/plugin/api.js';
import {
  attributeOf,
  type Attributes,
  attributesOf,
  type MappedValues,
  isTarget,
  targetOf,
} from './attributes.js';
import type { Evaluate } from './jsonata-process.js';
import { fieldsOf, hasValue, readPath, readText, sourceOf } from './read-path.js';
import { compileTransforms, MappingError } from './transforms.js';

/** A record as a user. */
export type MappedRecord =
  | { readonly ok: true; readonly attributes: Attributes }
  /** Why it cannot be one; no values of other people, for operators. */
  | { readonly ok: false; readonly message: string };

/** What one rule makes of a record. */
export interface RuleResult {
  readonly target: string;
  /** The paths that it took the value from; of an expression, none is known. */
  readonly from: readonly string[];
  readonly value?: JsonValue;
  /** Why the value cannot be used. */
  readonly message?: string;
}

export interface CompiledMapping {
  /** The targets that it sets. */
  readonly targets: ReadonlySet<string>;
  /** The fields of a record that it reads; null: any. */
  readonly fields: readonly string[] | null;
  /** Those of them that rules name: an expression names none. */
  readonly named: readonly string[];
  readonly map: (data: JsonObject) => Promise<MappedRecord> | MappedRecord;
  /** Of each rule by itself, in their order. */
  readonly explain: (data: JsonObject) => Promise<readonly RuleResult[]>;
  /** What identifies the person, as far as it can be mapped, whatever else is wrong with the record. */
  readonly mapIdentity: (data: JsonObject) => Promise<Attributes>;
}

/** The operator's rules in place of the connector's, attribute by attribute; null removes one. */
export const mergeMapping = (
  own: Mapping,
  configured: Readonly<Record<string, MappingRule | null>>,
): Mapping =>
  Object.fromEntries(
    Object.entries({ ...own, ...configured }).filter(
      (rule): rule is [string, MappingRule] => rule[1] !== null,
    ),
  );

const PLACEHOLDER = /\{([^{}]+)\}/g;

type Rule = (data: JsonObject) => JsonValue | undefined | Promise<JsonValue | undefined>;

interface CompiledRule {
  readonly fields: readonly string[] | null;
  /** Where it finds a value, each with alternatives. */
  readonly paths: readonly string[];
  readonly run: Rule;
}

const pathRule = (target: string, rule: Extract<MappingRule, { path: string }>): CompiledRule => {
  const transforms = compileTransforms(rule.transform);
  return {
    fields: fieldsOf(rule.path),
    paths: [rule.path],
    run: (data) => {
      const found = readPath(data, rule.path);
      const value = (found === undefined ? undefined : transforms(found)) ?? rule.default;
      if (!hasValue(value) && rule.required === true)
        throw new MappingError(`"${rule.path}" has no value, and ${target} needs one`);
      return value;
    },
  };
};

const templateRule = (rule: Extract<MappingRule, { template: string }>): CompiledRule => {
  const transforms = compileTransforms(rule.transform);
  const paths = [...rule.template.matchAll(PLACEHOLDER)].map(([, path = '']) => path);
  return {
    fields: paths.flatMap(fieldsOf),
    paths,
    run: (data) => {
      const values = new Map(paths.map((path) => [path, readText(data, path)]));
      if ([...values.values()].includes(undefined)) return undefined;
      return transforms(
        rule.template.replace(PLACEHOLDER, (_all, path: string) => values.get(path) ?? ''),
      );
    },
  };
};

const compileRule = (
  target: string,
  rule: MappingRule,
  evaluate: Evaluate | undefined,
): CompiledRule => {
  if (typeof rule === 'string') return pathRule(target, { path: rule });
  if ('path' in rule) return pathRule(target, rule);
  if ('template' in rule) return templateRule(rule);
  if ('constant' in rule) return { fields: [], paths: [], run: () => rule.constant };
  const { jsonata } = rule;
  return {
    fields: null,
    paths: [],
    run: async (data) => {
      if (!evaluate) throw new MappingError('JSONata is not available here');
      const result = await evaluate(jsonata, data);
      if (result.ok) return result.value;
      throw new MappingError(result.message);
    },
  };
};

/**
 * Compiles the rules once for all records. Throws a RangeError with a sentence for operators if one is
 * wrong.
 */
export const compileMapping = (mapping: Mapping, evaluate?: Evaluate): CompiledMapping => {
  const rules = Object.entries(mapping).map(([name, rule]) => {
    const target = targetOf(name);
    if (!isTarget(target))
      throw new RangeError(`map.${target}: users have no attribute "${target}"`);
    try {
      return { target, ...compileRule(target, rule, evaluate) };
    } catch (error) {
      throw new RangeError(`map.${target}: ${error instanceof Error ? error.message : 'invalid'}`, {
        cause: error,
      });
    }
  });
  const hasAnyField = rules.every(({ fields }) => fields !== null);
  const named = [...new Set(rules.flatMap(({ fields }) => fields ?? []))].sort();
  return {
    targets: new Set(rules.map(({ target }) => target)),
    fields: hasAnyField ? named : null,
    named,
    map: (data) => mapRecord(rules, data),
    explain: (data) => explainRules(rules, data),
    mapIdentity: async (data) => {
      const identifying = rules.filter(({ target }) => IDENTITY.has(attributeOf(target)));
      const values: Record<string, JsonValue> = {};
      for (const { target, value, message } of await explainRules(identifying, data))
        if (value !== undefined && message === undefined) values[target] = value;
      return attributesOf(values);
    },
  };
};

type NamedRule = CompiledRule & { readonly target: string };

/** Synchronous unless a rule is not: most mappings are, and there may be many records. */
const mapRecord = (
  rules: readonly NamedRule[],
  data: JsonObject,
): Promise<MappedRecord> | MappedRecord => {
  const values: Record<string, JsonValue> = {};
  const later: Promise<void>[] = [];
  const keep = (target: string, value: JsonValue | undefined): void => {
    if (hasValue(value)) values[target] = value;
  };
  for (const { target, run } of rules) {
    try {
      const value = run(data);
      if (value instanceof Promise)
        later.push(
          value.then(
            (found) => keep(target, found),
            (error: unknown) => {
              throw named(target, error);
            },
          ),
        );
      else keep(target, value);
    } catch (error) {
      void Promise.allSettled(later);
      return failed(named(target, error));
    }
  }
  if (later.length === 0) return finish(values);
  return Promise.all(later).then(() => finish(values), failed);
};

const IDENTITY: ReadonlySet<string> = new Set(['externalId', 'userName', 'emails']);

const explainRules = async (
  rules: readonly NamedRule[],
  data: JsonObject,
): Promise<readonly (RuleResult & { readonly attributes?: Attributes })[]> => {
  const results: (RuleResult & { readonly attributes?: Attributes })[] = [];
  for (const { target, paths, run } of rules) {
    const from = paths.flatMap((path) => sourceOf(data, path) ?? []);
    let value: JsonValue | undefined;
    try {
      value = await run(data);
      const attributes = hasValue(value) && {
        value,
        attributes: attributesOf({ [target]: value }),
      };
      results.push({ target, from, ...attributes });
    } catch (error) {
      if (!(error instanceof MappingError || error instanceof TypeError)) throw error;
      const message = `${error.message}.`;
      results.push({ target, from, ...(value !== undefined && { value }), message });
    }
  }
  return results;
};

const named = (target: string, error: unknown): MappingError => {
  if (!(error instanceof MappingError)) throw error;
  return new MappingError(`${target}: ${error.message}`);
};

const failed = (error: unknown): MappedRecord => {
  if (!(error instanceof MappingError)) throw error;
  return { ok: false, message: `${error.message}.` };
};

const finish = (values: MappedValues): MappedRecord => {
  try {
    const attributes = attributesOf(values);
    return attributes.userName === undefined
      ? { ok: false, message: 'userName has no value.' }
      : { ok: true, attributes };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, message: `${error.message}.` };
    throw error;
  }
};
