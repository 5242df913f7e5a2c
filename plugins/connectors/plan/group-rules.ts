import { nameKey, type JsonObject } from '../../../src/plugin/api.js';
import { fieldsOf, hasValue, readPath, readText } from '../mapping/read-path.js';
import type { GroupRule } from '../options.js';

const names = (data: JsonObject, path: string): readonly string[] => {
  const value = readPath(data, path);
  const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return values.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? [`${one}`.trim()] : [],
  );
};

const applies = (data: JsonObject, rule: Extract<GroupRule, { when: object }>): boolean => {
  const { path, in: values } = rule.when;
  if (!values) return hasValue(readPath(data, path));
  const text = readText(data, path)?.toLowerCase();
  return values.some((value) => value.toLowerCase() === text);
};

/** Display names of the groups that a record belongs to, without repetitions. */
export const groupsOfRecord = (
  data: JsonObject,
  rules: readonly GroupRule[],
): readonly string[] => {
  const found = rules.flatMap((rule) => {
    if (!('path' in rule)) return !('when' in rule) || applies(data, rule) ? [rule.group] : [];
    const given = names(data, rule.path);
    if (!rule.map) return given;
    const table = rule.map;
    return given.flatMap((name) => (Object.hasOwn(table, name) ? [table[name] ?? ''] : []));
  });
  const byKey = new Map(found.map((name) => [nameKey(name), name]));
  return [...byKey.values()].filter((name) => name !== '').sort();
};

export const groupFields = (rules: readonly GroupRule[]): readonly string[] =>
  rules.flatMap((rule) =>
    'path' in rule ? fieldsOf(rule.path) : 'when' in rule ? fieldsOf(rule.when.path) : [],
  );
