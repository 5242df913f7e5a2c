import {
  fieldsOfRecords,
  type FoundField,
  type JsonObject,
  type JsonValue,
  nearestName,
  type SettingFault,
} from '../../../src/plugin/api.js';
import type { MapRecords } from '../../../src/plugin/connectors-api.js';
import { type CompiledConnector, compileConnector } from '../compile-connector.js';
import { DateError, readStage, todayIn } from '../lifecycle.js';
import { isTarget } from '../mapping/attributes.js';
import { createJsonataProcess } from '../mapping/jsonata-process.js';
import { fieldsOf, hasValue, readPath } from '../mapping/read-path.js';
import type { ConnectorOptions } from '../options.js';
import { groupsOfRecord } from '../mapping/group-rules.js';

type Records = Parameters<MapRecords>[1];
type Result = Awaited<ReturnType<MapRecords>>;

/** What a run would make of records, if there were no users yet; nothing is stored. */
export const mapRecords: MapRecords = async (configured, records, now) => {
  const jsonata = createJsonataProcess();
  try {
    const compiled = compileConnector(configured, jsonata.evaluate);
    const people: Result['people'][number][] = [];
    for (const record of records) people.push(await personOf(compiled, record, now));
    const data = records.map((record) => record.data);
    const fields = fieldsOfRecords(data);
    return {
      people,
      faults: [...failuresOf(people, fields), ...missingFields(compiled.options, data, fields)],
    };
  } finally {
    await jsonata.stop();
  }
};

/** The fields that the operator names and no record has. */
export const missingFields = (
  options: ConnectorOptions,
  data: readonly JsonObject[],
  fields: readonly FoundField[],
): readonly SettingFault[] =>
  pathsIn(options).flatMap(({ at, path }) =>
    data.some((one) => readPath(one, path) !== undefined) ||
    // No one on the page has left, for example.
    fields.some((field) => fieldsOf(path).includes(field.path))
      ? []
      : [{ path: at, message: noValue(path, fields) }],
  );

const personOf = async (
  { mapping, lifecycle, options }: CompiledConnector,
  { id, data }: Records[number],
  now: Date,
): Promise<Result['people'][number]> => {
  const stage = readStage(data, lifecycle, todayIn(lifecycle, now));
  if (stage instanceof DateError) return { record: id, message: `${stage.message}.` };
  const { state, why } = stage;
  const mapped = await mapping.map(data);
  // As in a plan: nothing is needed of who has left.
  if (!mapped.ok && state !== 'left') return { record: id, message: mapped.message };
  const attributes = mapped.ok ? mapped.attributes : {};
  return { record: id, attributes, state, why, groups: groupsOfRecord(data, options.groups) };
};

/** Why records cannot be used, each reason once. */
const failuresOf = (
  people: Result['people'],
  fields: readonly FoundField[],
): readonly SettingFault[] => {
  const failed = new Map<string, string[]>();
  for (const person of people)
    if ('message' in person)
      failed.set(person.message, [...(failed.get(person.message) ?? []), person.record]);
  return [...failed].map(([message, [first = '', ...others]]) => {
    const [target = ''] = message.split(/[ :]/);
    const addresses = target === 'userName' ? addressesIn(fields) : [];
    const hint =
      addresses.length > 0
        ? ` Addresses are in ${addresses.join(', ')}.`
        : message.includes('is not an ISO date')
          ? ' Set `dateFormat`, such as dd.MM.yyyy.'
          : '';
    const who =
      others.length === 0 ? `record ${first}` : `record ${first} and ${others.length} more`;
    const path = isTarget(target) ? ['map', target] : ['lifecycle'];
    return { path, message: `${who}: ${message}${hint}` };
  });
};

const addressesIn = (fields: readonly FoundField[]): readonly string[] =>
  fields.flatMap(({ path, value }) =>
    typeof value === 'string' && /^\S+@\S+$/.test(value) ? [`"${path}"`] : [],
  );

const noValue = (path: string, fields: readonly FoundField[]): string => {
  const names = fields.flatMap((field) => (hasValue(field.value) ? [field.path] : []));
  const meant =
    nearestName(path, names) ?? names.find((name) => lastOf(name) === lastOf(path)) ?? undefined;
  return (
    `no record has a value at "${path}"` + (meant === undefined ? '' : `; did you mean "${meant}"?`)
  );
};

const lastOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll('_', '');

/** The paths that the operator wrote. */
const pathsIn = ({ map, lifecycle, groups, match }: ConnectorOptions) => [
  ...Object.entries(map).flatMap(([target, rule]) => pathAt(['map', target], rule)),
  ...(['start', 'end', 'status'] as const).flatMap((name) =>
    pathAt(['lifecycle', name], lifecycle[name]),
  ),
  ...groups.flatMap((rule, index) =>
    pathAt(['groups', index], 'when' in rule ? rule.when : 'path' in rule ? rule : null),
  ),
  ...match.flatMap((key, index) =>
    pathAt(['match', index], typeof key === 'string' ? null : key.source),
  ),
];

const pathAt = (
  at: SettingFault['path'],
  rule: string | JsonObject | object | null | undefined,
): readonly { readonly at: SettingFault['path']; readonly path: string }[] => {
  const path =
    typeof rule === 'string' ? rule : (rule as { readonly path?: JsonValue } | null)?.path;
  return typeof path === 'string' ? [{ at, path }] : [];
};
