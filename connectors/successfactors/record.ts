import { type JsonObject, type JsonValue, z } from '../../src/plugin/api.js';
import { withoutGaps } from '../rest/employments.js';

/** A person as the connector yields them. */
export const SuccessFactorsRecord = z
  .looseObject({ personIdExternal: z.string(), startDate: z.string().nullable() })
  .transform((record) => record as JsonObject);

/** What is read of a person, by the path from PerPerson. */
export const PROPERTIES: readonly string[] = [
  'personIdExternal',
  ...of('personalInfoNav', 'firstName lastName preferredName startDate endDate'),
  ...of('emailNav', 'emailAddress isPrimary'),
  ...of('phoneNav', 'countryCode areaCode phoneNumber isPrimary'),
  ...of('employmentNav', 'userId startDate endDate assignmentClass'),
  ...of('employmentNav/userNav', 'username'),
  ...of('employmentNav/userNav/manager/empInfo', 'personIdExternal'),
  ...of('employmentNav/jobInfoNav', 'startDate endDate seqNumber jobTitle department division'),
  ...of('employmentNav/jobInfoNav', 'location costCenter company managerId'),
  ...of('employmentNav/jobInfoNav/emplStatusNav', 'externalCode'),
  ...of('employmentNav/jobInfoNav/departmentNav', 'name_localized'),
  ...of('employmentNav/jobInfoNav/divisionNav', 'name_localized'),
];

function of(entity: string, properties: string): readonly string[] {
  return properties.split(' ').map((property) => `${entity}/${property}`);
}

/** The status (emplStatus) of an employment that is over: terminated, retired, or never begun. */
export const ENDED = ['T', 'R', 'O'];

interface Employment {
  readonly entity: Entity;
  readonly job: Entity;
  readonly start: string | null;
  readonly end: string | null;
  readonly status: string | null;
  /** The lowest decides who the person is: at work, dormant, not yet begun, over. */
  readonly rank: 0 | 1 | 2 | 3;
}

/** The record of a person: what is valid today, of the employment that counts; a text if there is none. */
export const recordOf = (person: JsonObject, now: Date): JsonObject | string => {
  const today = now.toISOString().slice(0, 10);
  const employments = listOf(person['employmentNav'])
    .map((entity) => employmentOf(entity, today))
    .toSorted(byImportance);
  const [first] = employments;
  if (!first) return 'SuccessFactors sent no employment of this person: the user may not see it.';
  const lasting = employments.filter(({ rank }) => rank < 3);
  const { start, end } = withoutGaps(lasting.length > 0 ? lasting : [first], (one) => one);
  const user = objectOf(first.entity['userNav']);
  const manager = objectOf(objectOf(user['manager'])['empInfo']);
  const phone = primaryOf(person['phoneNav']);
  return {
    personIdExternal: textOf(person['personIdExternal']),
    startDate: start,
    lastDay: end,
    employmentStatus: first.status,
    employments: employments.length,
    email: textOf(primaryOf(person['emailNav'])['emailAddress']),
    phone:
      [phone['countryCode'], phone['areaCode'], phone['phoneNumber']]
        .flatMap((part) => textOf(part) ?? [])
        .join(' ') || null,
    managerId: textOf(manager['personIdExternal']),
    personal: plain(sliceOf(listOf(person['personalInfoNav']), today)),
    employment: plain(first.entity),
    user: plain(user),
    job: plain(first.job),
  };
};

const employmentOf = (entity: Entity, today: string): Employment => {
  const job = sliceOf(listOf(entity['jobInfoNav']), today);
  const status = textOf(objectOf(job['emplStatusNav'])['externalCode']);
  const start = dateOf(entity['startDate']);
  const end = dateOf(entity['endDate']);
  const isOver = ENDED.includes(status ?? '') || (end !== null && end < today);
  const rank = isOver ? 3 : start !== null && start > today ? 2 : status === 'D' ? 1 : 0;
  return { entity, job, start, end, status, rank };
};

/**
 * Standard employments before global assignments, the one that began first, and of those that are over
 * the last one. The order in which SuccessFactors sends them means nothing.
 */
const byImportance = (a: Employment, b: Employment): number =>
  a.rank - b.rank ||
  (a.rank === 3 ? compare(b.end ?? '', a.end ?? '') : 0) ||
  Number(isGlobal(a)) - Number(isGlobal(b)) ||
  compare(a.start ?? '', b.start ?? '') ||
  compare(textOf(a.entity['userId']) ?? '', textOf(b.entity['userId']) ?? '');

const isGlobal = ({ entity }: Employment): boolean => entity['assignmentClass'] === 'GA';

type Entity = Readonly<Record<string, unknown>>;

/**
 * The slice that is valid today; else the next one; else the last one. Of several that begin on the same
 * day, the one with the highest seqNumber.
 */
const sliceOf = (slices: readonly Entity[], today: string): Entity => {
  const inOrder = slices.toSorted(
    (a, b) =>
      compare(dateOf(a['startDate']) ?? '', dateOf(b['startDate']) ?? '') ||
      Number(a['seqNumber'] ?? 0) - Number(b['seqNumber'] ?? 0),
  );
  const begun = inOrder.filter((slice) => (dateOf(slice['startDate']) ?? '') <= today);
  const future = inOrder[begun.length];
  const last = begun.at(-1);
  const start = dateOf((last ?? future)?.['startDate']);
  // What begins next may also begin several times on its first day.
  return last ?? inOrder.findLast((slice) => dateOf(slice['startDate']) === start) ?? {};
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectOf = (value: unknown): Entity => (isEntity(value) ? value : {});

/** A navigation to many: `{results: […]}`. */
const listOf = (value: unknown): readonly Entity[] => {
  const results = objectOf(value)['results'];
  return Array.isArray(results) ? results.filter(isEntity) : [];
};

const primaryOf = (value: unknown): Entity => {
  const all = listOf(value);
  return all.find(({ isPrimary }) => isPrimary === true || isPrimary === 'true') ?? all[0] ?? {};
};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== ''
    ? value.trim()
    : typeof value === 'number'
      ? String(value)
      : null;

/** `/Date(1669075200000)/`, or with an offset, which changes nothing. */
const DATE = /^\/Date\((-?\d+)(?:[+-]\d+)?\)\/$/;

/** An ISO date; null for the end of time, 9999-12-31. */
const dateOf = (value: unknown): string | null => {
  const [, milliseconds] = DATE.exec(typeof value === 'string' ? value : '') ?? [];
  const date = milliseconds === undefined ? undefined : new Date(Number(milliseconds));
  if (!date || Number.isNaN(date.getTime())) return null;
  const day = date.toISOString().slice(0, 10);
  return day.startsWith('9999') ? null : day;
};

/** The properties of an entity, and of those that it leads to, without lists and links. */
const plain = (entity: Entity): JsonObject =>
  Object.fromEntries(
    Object.entries(entity).flatMap(([name, value]): (readonly [string, JsonValue])[] => {
      if (name.startsWith('__')) return [];
      if (!isEntity(value))
        return Array.isArray(value)
          ? []
          : [
              [
                name,
                typeof value === 'string' && DATE.test(value)
                  ? dateOf(value)
                  : (value as JsonValue),
              ],
            ];
      return 'results' in value || '__deferred' in value ? [] : [[name, plain(value)]];
    }),
  );
