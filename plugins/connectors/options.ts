import { Cron } from 'croner';
import { compileDateFormat } from './iso-date.js';
import { durationField, type MappingRule, type Transform, z } from '../../src/plugin/api.js';

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

const isCron = (pattern: string): boolean => {
  try {
    return new Cron(pattern, { paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
};

const isDateFormat = (format: string): boolean => {
  try {
    compileDateFormat(format);
    return true;
  } catch {
    return false;
  }
};

const cron = z
  .string()
  .refine(isCron, { error: 'expected a cron pattern such as "*/15 * * * *" or "17 3 * * *"' });
const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'expected an IANA time zone such as Europe/Berlin' });
const path = z.string().trim().min(1);
const percent = z.number().gt(0).max(100);
const json = z.json();

// Zod's optional members may be undefined; the contract's may not.
const transform = z.union([
  z.enum(['trim', 'lower', 'upper']),
  z.strictObject({ map: z.record(z.string(), json), otherwise: json.optional() }),
  z.strictObject({ split: z.string().min(1) }),
  z.strictObject({ join: z.string() }),
  z.strictObject({ date: z.string().min(1) }),
  z.strictObject({ phone: z.string().length(2) }),
]) as unknown as z.ZodType<Transform>;
const transforms = z.array(transform).max(20);

/** The forms of a rule, by the member that distinguishes them. */
export const RULE_FORMS = {
  path: z.strictObject({
    path,
    transform: transforms.optional(),
    required: z.boolean().optional(),
    default: json.optional(),
  }),
  template: z.strictObject({ template: z.string().min(1), transform: transforms.optional() }),
  constant: z.strictObject({ constant: json }),
  jsonata: z.strictObject({ jsonata: z.string().min(1) }),
} as const;

export const mappingRule = z.union([
  path,
  ...Object.values(RULE_FORMS),
]) as unknown as z.ZodType<MappingRule>;

const matchKey = z.union([
  path,
  z.strictObject({ target: path, source: path, transform: transforms.optional() }),
]);

const condition = z.strictObject({
  path,
  in: z.array(z.string()).min(1).optional(),
  present: z.literal(true).optional(),
});

const groupRule = z.union([
  z.strictObject({ path, map: z.record(z.string(), z.string().min(1)).optional() }),
  z.strictObject({ when: condition, group: z.string().min(1) }),
  z.strictObject({ group: z.string().min(1) }),
]);

const statusRule = z.strictObject({
  path,
  active: z.array(z.string()).optional(),
  inactive: z.array(z.string()).optional(),
});

/** The options that every connector has, next to `use`, `tenant`, `enabled` and `settings`. */
export const ConnectorOptions = z.strictObject({
  schedule: z
    .strictObject({
      full: cron.optional().describe('When to read everybody, as a cron pattern.'),
      delta: cron.optional().describe('When to read changes, as a cron pattern.'),
      timezone: timeZone.default('UTC').describe('Time zone of the patterns.'),
      jitter: durationField('0s', '1h')
        .prefault('1m')
        .describe('Longest delay of a start; each connector has its own, always the same.'),
    })
    .prefault({})
    .describe('When it runs. Without patterns it runs only on request.'),
  match: z
    .array(matchKey)
    .min(1)
    .max(10)
    .default(['externalId', 'userName', 'email'])
    .describe(
      'Attributes by which a new record finds an existing user, in order; the first that finds one ' +
        'decides.',
    ),
  map: z
    .record(z.string(), mappingRule.nullable())
    .default({})
    .describe(
      'Rules by user attribute, in place of those of the connector; null removes an attribute.',
    ),
  lifecycle: z
    .strictObject({
      start: path.nullable().optional().describe('Path of the first day.'),
      end: path.nullable().optional().describe('Path of the last day.'),
      status: statusRule.nullable().optional().describe('Path of a status, and its values.'),
      dateFormat: z
        .string()
        .refine(isDateFormat, { error: 'expected a date format such as dd.MM.yyyy' })
        .optional()
        .describe('Format of the dates, such as dd.MM.yyyy. Default: ISO 8601.'),
      timezone: timeZone.optional().describe('Where the last day ends. Default: of the schedule.'),
      createAheadDays: z
        .int()
        .min(0)
        .max(365)
        .default(0)
        .describe('Create users this many days before their first day.'),
      missingRuns: z
        .int()
        .min(1)
        .max(30)
        .default(2)
        .describe('Deactivate a user who is missing from this many complete reads in a row.'),
    })
    .prefault({})
    .describe('When users are created, deactivated and reactivated.'),
  groups: z
    .array(groupRule)
    .max(100)
    .default([])
    .describe('Groups that follow from attributes of a record; rooms and roles follow from them.'),
  safety: z
    .strictObject({
      maxDeactivatePercent: percent
        .default(10)
        .describe('Hold a run that deactivates more than this share of its active users in 24 h.'),
      maxDeactivateCount: z
        .int()
        .min(0)
        .default(50)
        .describe('Hold a run that deactivates more than this many users in 24 h.'),
      maxEmailChangePercent: percent
        .default(10)
        .describe('Hold a run that changes or removes more than this share of e-mails in 24 h.'),
      maxReactivatePercent: percent
        .default(10)
        .describe(
          'Hold a run that reactivates more users in 24 h than this share of its active users.',
        ),
      maxReactivateCount: z
        .int()
        .min(0)
        .default(50)
        .describe('Hold a run that reactivates more than this many users in 24 h.'),
      maxGroupRemovalPercent: percent
        .default(10)
        .describe('Hold a run that takes more than this share of its users out of groups in 24 h.'),
      maxGroupRemovalCount: z
        .int()
        .min(0)
        .default(50)
        .describe('Hold a run that takes more than this many users out of groups in 24 h.'),
      maxClearPercent: percent
        .default(10)
        .describe('Hold a run that clears one attribute of more than this share of users in 24 h.'),
      maxClearCount: z
        .int()
        .min(0)
        .default(50)
        .describe('Hold a run that clears one attribute of more than this many users in 24 h.'),
      maxChangePercent: percent
        .default(25)
        .describe(
          'Hold a run that changes one attribute of more than this share of users in 24 h.',
        ),
      maxChangeCount: z
        .int()
        .min(0)
        .default(500)
        .describe('Hold a run that changes one attribute of more than this many users in 24 h.'),
      maxTakeoverPercent: percent
        .default(5)
        .describe(
          'Hold a run in which records take over more than this share of its active users from other ' +
            'records in 24 h.',
        ),
      maxTakeoverCount: z
        .int()
        .min(0)
        .default(20)
        .describe(
          'Hold a run in which records take over more than this many users from other records in 24 h.',
        ),
      maxFieldLossPercent: percent
        .default(10)
        .describe(
          'Hold a run in which a mapped field loses its value in more than this share of the linked ' +
            'records.',
        ),
      deferFor: durationField('0s', '30d')
        .prefault('24h')
        .describe(
          'Keep the user of a record that has ended for this long if another record, which cannot be ' +
            'used yet, claims them.',
        ),
      maxRecords: z
        .int()
        .min(1)
        .default(1_000_000)
        .describe('End a read that brings more records than this; nothing is changed.'),
      maxReadTime: durationField('1m', '7d')
        .prefault('12h')
        .describe('End a read that takes longer than this; nothing is changed.'),
      maxDaysSinceLastRun: z
        .int()
        .min(1)
        .default(7)
        .describe(
          'Hold a run that deactivates by date if the last run is longer ago: the clock may be wrong.',
        ),
      allowOlderExports: z
        .boolean()
        .default(false)
        .describe('Read an export that is older than the last one. Default: such a run fails.'),
    })
    .prefault({})
    .describe('Limits above which a run waits for approval.'),
  onError: z
    .strictObject({
      maxFailedPercent: percent
        .default(40)
        .describe('Quarantine the connector if more than this share of its records fails.'),
    })
    .prefault({}),
  authoritativeFor: z
    .array(path)
    .optional()
    .describe(
      'Attributes that the source decides; the others stay as SCIM and REST set them after the ' +
        'creation. Default: all that are mapped.',
    ),
  conflicts: z
    .enum(['source-wins', 'fill-empty', 'report'])
    .default('source-wins')
    .describe('What happens to an attribute that another interface has changed.'),
});

export type ConnectorOptions = z.output<typeof ConnectorOptions>;
export type GroupRule = ConnectorOptions['groups'][number];
export type MatchKey = ConnectorOptions['match'][number];
