import type { JsonObject, Lifecycle } from '../../src/plugin/api.js';
import {
  addDays,
  compileDateFormat,
  dateIn,
  dayIn,
  isNoDate,
  type IsoDate,
  readIsoDate,
} from './iso-date.js';
import { fieldsOf, readText } from './mapping/read-path.js';

/** What a record says about a person's seat today. */
export interface Stage {
  /** `future`: not yet; `active`; `left`: the last day has ended, or the status says so. */
  readonly state: 'future' | 'active' | 'left';
  /** In words, for the plan. */
  readonly why: string;
  /** The next day on which that changes without a change of the record. */
  readonly changesOn: IsoDate | null;
  /** Whether only the clock says that the last day has ended. */
  readonly isByDate?: true;
}

export interface LifecycleRules {
  readonly start: string | null;
  readonly end: string | null;
  readonly status: NonNullable<Lifecycle['status']> | null;
  /** Null: ISO 8601. */
  readonly dateFormat: string | null;
  readonly timeZone: string;
  readonly createAheadDays: number;
}

export interface ConfiguredLifecycle {
  readonly start?: string | null | undefined;
  readonly end?: string | null | undefined;
  readonly status?:
    | {
        readonly path: string;
        readonly active?: readonly string[] | undefined;
        readonly inactive?: readonly string[] | undefined;
      }
    | null
    | undefined;
  readonly dateFormat?: string | undefined;
  readonly timezone?: string | undefined;
  readonly createAheadDays: number;
}

/** The operator's paths in place of the connector's; null removes one. */
export const lifecycleRules = (
  own: Lifecycle = {},
  configured: ConfiguredLifecycle,
  timeZone: string,
): LifecycleRules => {
  const status = configured.status === undefined ? own.status : configured.status;
  const isStrict = configured.status === undefined && own.status?.isStrict === true;
  return {
    start: (configured.start === undefined ? own.start : configured.start) ?? null,
    end: (configured.end === undefined ? own.end : configured.end) ?? null,
    status: status
      ? {
          path: status.path,
          ...(status.active && { active: status.active }),
          ...(status.inactive && { inactive: status.inactive }),
          ...(isStrict && { isStrict }),
        }
      : null,
    dateFormat: configured.dateFormat ?? null,
    timeZone: configured.timezone ?? timeZone,
    createAheadDays: configured.createAheadDays,
  };
};

export const lifecycleFields = ({ start, end, status }: LifecycleRules): readonly string[] =>
  [start, end, status?.path ?? null].flatMap((path) => (path === null ? [] : fieldsOf(path)));

/** The dates of a record are unreadable or contradict each other: no user is created or deactivated by a guess. */
export class DateError extends Error {
  override readonly name = 'DateError';
}

const formats = new Map<string, (text: string) => IsoDate | undefined>();

const readerOf = (format: string | null): ((text: string) => IsoDate | undefined) => {
  if (format === null) return readIsoDate;
  const read = formats.get(format) ?? compileDateFormat(format);
  formats.set(format, read);
  return read;
};

const dateAt = (
  data: JsonObject,
  path: string | null,
  { dateFormat, timeZone }: LifecycleRules,
): IsoDate | undefined => {
  const text = path === null ? undefined : readText(data, path);
  if (text === undefined || isNoDate(text)) return undefined;
  const date = dayIn(timeZone, text) ?? readerOf(dateFormat)(text);
  if (date === undefined)
    throw new DateError(
      `"${path}" is not ${dateFormat === null ? 'an ISO date' : `a date of the form ${dateFormat}`}: "${text.slice(0, 40)}"`,
    );
  return date;
};

/** Systems without an empty date write one that never comes, or never was. */
const knownEnd = (end: IsoDate | undefined): IsoDate | undefined =>
  end === undefined || end < '1800' || end >= '9001' ? undefined : end;

const isListed = (values: readonly string[] | undefined, value: string): boolean =>
  values?.some((one) => one.toLowerCase() === value.toLowerCase()) ?? false;

/** Of a record on this day. Throws a DateError. */
export const stageOf = (data: JsonObject, rules: LifecycleRules, today: IsoDate): Stage => {
  const status = rules.status && readText(data, rules.status.path);
  if (typeof status === 'string' && isListed(rules.status?.inactive, status))
    return { state: 'left', why: `The status is "${status}".`, changesOn: null };
  if (typeof status === 'string' && isListed(rules.status?.active, status))
    return { state: 'active', why: `The status is "${status}".`, changesOn: null };
  if (typeof status === 'string' && rules.status?.isStrict)
    throw new DateError(`"${rules.status.path}" is "${status.slice(0, 40)}", not true or false`);
  const start = dateAt(data, rules.start, rules);
  const end = knownEnd(dateAt(data, rules.end, rules));
  // One of them is wrong, and which one decides who has access.
  if (start !== undefined && end !== undefined && start > end)
    throw new DateError(`The first day, ${start}, is after the last day, ${end}`);
  if (end !== undefined && end < today)
    return { state: 'left', why: `The last day was ${end}.`, changesOn: null, isByDate: true };
  const createOn = start === undefined ? undefined : addDays(start, -rules.createAheadDays);
  const endsOn = end === undefined ? null : addDays(end, 1);
  if (createOn !== undefined && createOn > today)
    return { state: 'future', why: `The first day is ${start}.`, changesOn: createOn };
  return {
    state: 'active',
    why: start === undefined ? 'The source reports them.' : `The first day is ${start}.`,
    changesOn: endsOn,
  };
};

/** The same, for callers to which unreadable dates are one more case. */
export const readStage = (
  data: JsonObject,
  rules: LifecycleRules,
  today: IsoDate,
): Stage | DateError => {
  try {
    return stageOf(data, rules, today);
  } catch (error) {
    if (error instanceof DateError) return error;
    throw error;
  }
};

/** Whether the record says so; not if its dates cannot be read. */
export const isStage = (
  state: Stage['state'],
  data: JsonObject,
  rules: LifecycleRules,
  today: IsoDate,
): boolean => {
  const stage = readStage(data, rules, today);
  return !(stage instanceof DateError) && stage.state === state;
};

export const todayIn = ({ timeZone }: LifecycleRules, now: Date): IsoDate => dateIn(timeZone, now);
