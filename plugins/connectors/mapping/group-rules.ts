import { nameKey, type JsonObject } from '../../../src/plugin/api.js';
import { trimIdentifier } from './identifiers.js';
import { fieldsOf, hasValue, keyIn, readPath, readText } from './read-path.js';
import type { GroupRule } from '../options.js';

const names = (data: JsonObject, path: string): readonly string[] => {
  const value = readPath(data, path);
  const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return values.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? [trimIdentifier(`${one}`)] : [],
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
    return given.flatMap((name) => table[keyIn(table, name) ?? ''] ?? []);
  });
  const byKey = new Map(found.map((name) => [nameKey(name), name]));
  return [...byKey.values()].filter((name) => name !== '').sort();
};

/** Finds the keys of group maps that no record has: a group was renamed, or a key is misspelt. */
export const createKeyWatch = (rules: readonly GroupRule[]) => {
  const open = rules.flatMap((rule) =>
    'path' in rule && rule.map
      ? [{ path: rule.path, map: rule.map, keys: new Set(Object.keys(rule.map)) }]
      : [],
  );
  return {
    read: (data: JsonObject): void => {
      for (const { path, map, keys } of open)
        if (keys.size > 0)
          for (const name of names(data, path)) keys.delete(keyIn(map, name) ?? '');
    },
    warnings: (): readonly string[] =>
      open.flatMap(({ path, keys }) =>
        keys.size === 0
          ? []
          : [`No person has ${[...keys].join(', ')} in "${path}": check the keys of \`groups\`.`],
      ),
  };
};

export const groupFields = (rules: readonly GroupRule[]): readonly string[] =>
  rules.flatMap((rule) =>
    'path' in rule ? fieldsOf(rule.path) : 'when' in rule ? fieldsOf(rule.when.path) : [],
  );
