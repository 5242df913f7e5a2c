import {
  fieldsOfRecords,
  idField,
  type JsonObject,
  type JsonValue,
  type PluginHost,
  raise,
  readSample,
  type SettingFault,
  SourceError,
  systemClock,
  textLike,
  z,
} from '../../../src/plugin/api.js';
import { displayNameOf, maskValues, type User } from '../../../src/plugin/connectors-api.js';
import { checkOptions, checkRuleShape } from '../check-options.js';
import { type CompiledConnector, compileConnector } from '../compile-connector.js';
import { CONNECTOR_UNREACHABLE } from '../declarations.js';
import { stageOf, todayIn } from '../lifecycle.js';
import type { Link } from '../link.js';
import {
  attributeOf,
  attributesOf,
  CUSTOM_PREFIX,
  MANAGER,
  profileValue,
  TARGETS,
} from '../mapping/attributes.js';
import { mergeMapping, type RuleResult } from '../mapping/compile-mapping.js';
import { forTenant } from '../mapping/custom-values.js';
import { createJsonataProcess } from '../mapping/jsonata-process.js';
import { ConnectorOptions } from '../options.js';
import { identify, type IdentifyPage } from '../identify/identify.js';
import { GroupNames } from '../plan/group-names.js';
import { type PagePlan, planPage } from '../plan/plan-page.js';
import type { RecordInput } from '../record-input.js';
import type { ConnectorService } from '../connector-service.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { Gateway } from '../run/gateway.js';
import { stagedRecord } from '../run/read-source.js';
import { missingFields } from './map-records.js';
import { readSection, writeSection } from './section-text.js';
import { ItemView, itemView } from './views.js';

/** People of one preview: each is read, mapped, matched and shown. */
const MAX_RECORDS = 50;
const DEFAULT_RECORDS = 20;
/** For the source to send the records. */
const READ_MS = 30_000;
/** For the rules, of which each expression may take a second. */
const MAP_MS = 20_000;
/** Records that are shown, as JSON. */
const MAX_BYTES = 1_048_576;

/** Characters of edited options. */
const MAX_YAML = 100_000;

/** Options that can be tried. */
const EDITED = {
  map: z
    .record(z.string().max(100), z.unknown())
    .optional()
    .describe(
      "In place of the configuration's `map`. A wrong rule is a problem of the result, and the " +
        'others are applied.',
    ),
  match: z.array(z.unknown()).max(10).optional().describe("In place of the configuration's."),
  lifecycle: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("In place of the configuration's."),
  groups: z.array(z.unknown()).max(100).optional().describe("In place of the configuration's."),
};

const EditedOptions = z.object(EDITED);
type EditedOptions = z.output<typeof EditedOptions>;

/** What to preview: a sample, or records of the source; with the configured options, or edited ones. */
export const PreviewInput = z
  .strictObject({
    ids: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(MAX_RECORDS)
      .optional()
      .describe('Read these records, by their id in the source.'),
    records: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(MAX_RECORDS)
      .optional()
      .describe('A sample, in place of a read: records as the source has them.'),
    limit: z
      .int()
      .min(1)
      .max(MAX_RECORDS)
      .optional()
      .describe(`How many people to read at most. Default: ${DEFAULT_RECORDS}.`),
    reuse: z
      .boolean()
      .optional()
      .describe(
        'Take the records of the last preview of the same people, if it is less than 5 minutes old, ' +
          'instead of reading the source again: for trying other rules.',
      ),
    ...EDITED,
    yaml: z
      .string()
      .max(MAX_YAML)
      .optional()
      .describe(
        '`map`, `match`, `lifecycle` and `groups` as YAML, as the configuration has them; those that ' +
          'it leaves out have their defaults. Errors name its lines.',
      ),
  })
  .refine(({ ids, records }) => !ids || !records, {
    error: 'give either ids or records',
    path: ['records'],
  })
  .refine(
    ({ yaml, map, match, lifecycle, groups }) => !yaml || !(map ?? match ?? lifecycle ?? groups),
    {
      error: 'give options either as YAML or as JSON',
      path: ['yaml'],
    },
  )
  .meta({
    id: 'ConnectorPreviewInput',
    examples: [{ ids: ['4711'], map: { title: 'jobTitle | position' } }],
  });
type PreviewInput = z.output<typeof PreviewInput>;

const Problem = z.strictObject({
  path: textLike('map.title').describe('What to correct, such as `map.title`, or the record.'),
  message: textLike('no record has a value at "work.mail"'),
  line: z.int().optional().describe('Of the options that were given as YAML.'),
});

const PreviewedRecord = z.strictObject({
  record: textLike('4711').describe('Id in the source; in a sample, the external id or a number.'),
  fields: z
    .array(
      z.strictObject({
        path: textLike('work.email'),
        type: textLike('string'),
        value: z.unknown().optional(),
      }),
    )
    .describe('Of the source, as mappings name them.'),
  rules: z.array(
    z.strictObject({
      target: textLike('userName'),
      from: z.array(textLike('work.email')).describe('The fields that the value is from.'),
      value: z.unknown().describe('Null: none.'),
      problem: z.string().nullable().describe('Why the value cannot be used.'),
    }),
  ),
  attributes: z
    .array(
      z.strictObject({
        attribute: textLike('userName'),
        value: z.unknown().describe('As the rules set it; null: no value.'),
        current: z.unknown().describe("The existing user's; null: no value."),
      }),
    )
    .describe('The user that results, beside the one that exists.'),
  user: z
    .strictObject({
      id: idField('Of the user.'),
      name: textLike('Ada Lovelace'),
      active: z.boolean(),
    })
    .nullable()
    .describe('The existing user that the record stands for; null: none.'),
  plan: ItemView.nullable().describe('What a run would do; null: nothing.'),
  why: textLike('The user is as the record says.')
    .nullable()
    .describe('Why a run would do this, or nothing; null: see `problem`.'),
  problem: z.string().nullable().describe('Why a run would put the record into quarantine.'),
});

/** What records become, and what a run would do with them. */
export const MappingPreview = z
  .strictObject({
    records: z.array(PreviewedRecord),
    has_more: z.boolean().describe('Whether the source or the sample has more records.'),
    fields: z
      .array(z.strictObject({ path: textLike('work.email'), type: textLike('string') }))
      .describe('All fields of these records.'),
    map: z.record(z.string(), z.unknown()).describe('The rules that were applied.'),
    default_map: z.record(z.string(), z.unknown()).describe("The connector's own rules."),
    targets: z.array(textLike('userName')).describe('The attributes that rules can set.'),
    yaml: textLike('map:\n  userName: work.email\n').describe(
      'The configured options that can be edited, as YAML.',
    ),
    problems: z
      .array(Problem)
      .describe('Of rules and other options, and records without a result.'),
  })
  .meta({ id: 'ConnectorPreview' });
export type MappingPreview = z.output<typeof MappingPreview>;

interface SampleRecord {
  readonly id: string;
  readonly data: JsonObject;
}

interface Found {
  readonly records: readonly SampleRecord[];
  readonly hasMore: boolean;
  readonly problems: readonly z.output<typeof Problem>[];
}

/** Maps records, finds their users, and plans them as a run would; writes nothing. */
export const previewMapping = async (
  service: ConnectorService,
  input: PreviewInput,
  { now, signal }: Pick<PluginHost, 'now'> & { readonly signal: AbortSignal },
): Promise<MappingPreview> => {
  const { connector } = service.compiled();
  const configured = service.configured.options as ConnectorOptions;
  const edited = editedOf(input);
  const options = { ...configured, ...editedOptions(edited) };
  const { sound, faults } = soundRules(options, edited);
  const problemOf = ({ path, message }: SettingFault) => {
    const line = edited.lineOf?.(path);
    return { path: path.join('.'), message, ...(line !== undefined && { line }) };
  };
  const tenant = await service.tenant();
  const store = service.storeOf(tenant);
  // No run, so its commands would have no one to answer for them.
  const gateway = service.gatewayOf(tenant, 'preview', signal);
  // Not that of the runs, which would wait for expressions that are still written.
  const jsonata = createJsonataProcess();
  try {
    const compiled = forTenant(
      compileConnector(
        { ...service.configured, options: { ...options, map: sound } },
        jsonata.evaluate,
      ),
      tenant,
    );
    const found = await (input.records
      ? sampleOf(input.records as readonly JsonObject[], compiled)
      : keptOrRead(service, input, () => recordsOf(service, { ...input, store, signal })));
    const parts = { compiled, store, gateway, now: now() };
    const { records, isWhole } = await previewRecords(found.records, parts);
    const data = found.records.map((record) => record.data);
    const fields = fieldsOfRecords(data);
    return {
      records,
      has_more: found.hasMore,
      fields: fields.map(({ path, type }) => ({ path, type })),
      map: mergeMapping(connector.mapping, sound),
      default_map: connector.mapping,
      targets: [
        ...TARGETS,
        ...tenant.customAttributes.map(({ name }) => `${CUSTOM_PREFIX}${name}`),
      ],
      yaml: await writeSection(
        {
          map: configured.map,
          match: configured.match,
          lifecycle: configured.lifecycle,
          groups: configured.groups,
        },
        connector.mapping,
      ),
      problems: [
        ...faults.map(problemOf),
        // One person may have no value that others have.
        ...(input.ids || data.length === 0
          ? []
          : missingFields(compiled.options, data, fields).map(problemOf)),
        ...found.problems,
        ...(isWhole ? [] : [{ path: 'map', message: TOO_SLOW }]),
      ],
    };
  } finally {
    await jsonata.stop();
  }
};

const TOO_SLOW = `The rules took longer than ${MAP_MS / 1_000} s; the other records are left out.`;

/** Options to try; as YAML, each has a line. */
interface Edited {
  readonly given: EditedOptions;
  readonly lineOf?: (place: SettingFault['path']) => number;
}

const ONLY_EDITED = `a preview takes only ${Object.keys(EDITED).join(', ')}`;

const editedOf = ({ yaml, ...input }: PreviewInput): Edited => {
  if (yaml === undefined) return { given: input };
  const { settings, lineOf } = readSection(yaml);
  const other = Object.keys(settings).find((name) => !Object.hasOwn(EDITED, name));
  if (other !== undefined) return refuseOption({ path: [other], message: ONLY_EDITED }, lineOf);
  const { data, error } = EditedOptions.safeParse(settings);
  if (!data) return refuseOption(error.issues[0], lineOf);
  return { given: { map: {}, ...OTHER_OPTIONS.parse({}), ...data }, lineOf };
};

/** Names the option and, of YAML, its line. */
const refuseOption = (
  fault: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined,
  lineOf: Edited['lineOf'],
): never => {
  const place = (fault?.path ?? []).map((step) => (typeof step === 'number' ? step : String(step)));
  const line = lineOf ? `Line ${lineOf(place)}: ` : '';
  return raise('INVALID_REQUEST', `${line}${place.join('.')}: ${fault?.message}.`);
};

const OTHER_OPTIONS = ConnectorOptions.pick({ match: true, lifecycle: true, groups: true });

const editedOptions = ({
  given: { match, lifecycle, groups },
  lineOf,
}: Edited): Partial<ConnectorOptions> => {
  const given = { match, lifecycle, groups };
  const { data, error } = OTHER_OPTIONS.safeParse(given);
  if (!data) return refuseOption(error.issues[0], lineOf);
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => given[name as keyof typeof given] !== undefined),
  );
};

/** The rules that can be applied, and what is wrong with the others. */
const soundRules = (options: ConnectorOptions, { given: { map }, lineOf }: Edited) => {
  const given = (map ?? options.map) as ConnectorOptions['map'];
  const shapes = Object.entries(given).flatMap(([target, rule]) => checkRuleShape(target, rule));
  const shaped = withoutWrong(given, shapes);
  const faults = checkOptions({ ...options, map: shaped });
  const others = faults.find(({ path }) => path[0] !== 'map');
  if (others) refuseOption(others, lineOf);
  return { sound: withoutWrong(shaped, faults), faults: [...shapes, ...faults] };
};

/** Null: the connector's own rule would hide the mistake. */
const withoutWrong = (
  map: ConnectorOptions['map'],
  faults: readonly SettingFault[],
): ConnectorOptions['map'] => {
  const wrong = new Set(faults.map(({ path }) => path[1]));
  return Object.fromEntries(
    Object.entries(map).map(([name, rule]) => [name, wrong.has(name) ? null : rule]),
  );
};

/** Most connectors use the record's id as external id, and a sample has no other one. */
const sampleOf = async (
  records: readonly JsonObject[],
  { mapping }: CompiledConnector,
): Promise<Found> => ({
  records: await Promise.all(
    records.map(async (data, at) => {
      const { externalId } = await mapping.mapIdentity(data);
      const id = typeof externalId === 'string' ? externalId.slice(0, 200) : '';
      return { id: id === '' ? `sample ${at + 1}` : id, data };
    }),
  ),
  hasMore: false,
  problems: [],
});

/** In memory only: what the mapping does not name is never stored. */
const kept = new WeakMap<ConnectorService, { readonly of: string; readonly found: Found }>();
const KEPT_MS = 5 * 60_000;

const keptOrRead = async (
  service: ConnectorService,
  input: PreviewInput,
  read: () => Promise<Found>,
): Promise<Found> => {
  const of = JSON.stringify([input.ids, input.limit]);
  const last = kept.get(service);
  if (input.reuse === true && last?.of === of) return last.found;
  const found = await read();
  const entry = { of, found };
  kept.set(service, entry);
  setTimeout(() => {
    if (kept.get(service) === entry) kept.delete(service);
  }, KEPT_MS).unref();
  return found;
};

interface ReadParts extends Pick<PreviewInput, 'ids' | 'limit'> {
  readonly store: ConnectorStore;
  readonly signal: AbortSignal;
}

const recordsOf = async (
  { configured }: ConnectorService,
  { ids, limit = DEFAULT_RECORDS, store, signal }: ReadParts,
): Promise<Found> => {
  const most = ids?.length ?? limit;
  if (configured.connector?.receivesUploads) {
    // Its clients have uploaded them.
    const links = ids ? [...(await store.links.many(ids)).values()] : await store.links.list(most);
    const records = links.map(({ sourceId, data }) => ({ id: sourceId, data }));
    return { records, hasMore: !ids && links.length === most, problems: unknownIds(ids, records) };
  }
  const late = new AbortController();
  const tooLong = new SourceError('network', `The source took longer than ${READ_MS / 1_000} s.`);
  let cancel = (): void => undefined;
  try {
    // Its process may have to start first, which has a limit of its own.
    const source = await configured.open();
    cancel = systemClock.after(READ_MS, () => late.abort(tooLong));
    const { records, errors, hasMore } = await readSample(source, {
      // One more shows whether there are more.
      pageSize: most + 1,
      most: ids ? most : most + 1,
      ...(ids && { ids }),
      signal: AbortSignal.any([signal, late.signal]),
    });
    const shown = withinLimit(records.slice(0, most));
    return {
      records: shown,
      hasMore: hasMore || shown.length < records.length,
      problems: [
        ...errors.map(({ id = 'record', message }) => ({ path: id, message })),
        ...unknownIds(ids, [...records, ...errors]),
      ],
    };
  } catch (error) {
    const reason: unknown = late.signal.aborted ? tooLong : error;
    if (!(reason instanceof SourceError)) throw reason;
    return raise(CONNECTOR_UNREACHABLE, reason.message);
  } finally {
    cancel();
  }
};

const unknownIds = (
  ids: readonly string[] = [],
  found: readonly { readonly id?: string }[],
): Found['problems'] =>
  ids
    .filter((id) => !found.some((one) => one.id === id))
    .map((id) => ({ path: id, message: 'The source has no record with this id.' }));

const withinLimit = (records: readonly SampleRecord[]): readonly SampleRecord[] => {
  let bytes = 0;
  return records.filter(({ data }, at) => {
    bytes += JSON.stringify(data).length;
    return at === 0 || bytes <= MAX_BYTES;
  });
};

interface PreviewParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly gateway: Gateway;
  readonly now: Date;
}

const previewRecords = async (
  sample: readonly SampleRecord[],
  parts: PreviewParts,
): Promise<{
  readonly records: z.output<typeof PreviewedRecord>[];
  readonly isWhole: boolean;
}> => {
  const { compiled, store, gateway } = parts;
  const endsAt = systemClock.now() + MAP_MS;
  const mapped: (SampleRecord & { readonly rules: readonly RuleResult[] })[] = [];
  for (const record of sample) {
    if (systemClock.now() > endsAt) break;
    mapped.push({ ...record, rules: await compiled.mapping.explain(record.data) });
  }
  const planned = await planSample(mapped, parts);
  const links = await store.links.many(mapped.map(({ id }) => id));
  const userIdOf = (id: string) => {
    const plan = planned.get(id);
    const item =
      typeof plan === 'object' && plan.planned.kind === 'item' ? plan.planned.item : null;
    return (item?.kind === 'create' ? null : item?.userId) ?? links.get(id)?.userId ?? null;
  };
  const userIds = mapped.flatMap(({ id }) => userIdOf(id) ?? []);
  const users = await gateway.findUsers('id', userIds);
  const managers = await managersOf([...users.values()].flat(), store);
  const records = mapped.map(({ id, data, rules }) => {
    const plan = planned.get(id);
    const user = users.get(userIdOf(id) ?? '')?.[0];
    const item =
      typeof plan === 'object' && plan.planned.kind === 'item'
        ? itemView(0, plan.planned.item, { outcome: undefined, isReached: false })
        : null;
    const problem = problemOfPlan(plan);
    return {
      record: id,
      fields: fieldsOfRecords([maskValues(data)]).map((field) => ({ ...field })),
      rules: rules.map(({ target, from, value = null, message = null }) => ({
        target,
        from: [...from],
        value: masked(target, value),
        problem: message,
      })),
      attributes: compare(rules, user, managers),
      user: user
        ? { id: user.id, name: displayNameOf(user.profile), active: user.profile.active }
        : null,
      plan: item && { ...item, changes: item.changes.map(maskedChange) },
      why: problem === null ? (item?.why ?? whyNothing(data, links.get(id), parts)) : null,
      problem,
    };
  });
  return { records, isWhole: mapped.length === sample.length };
};

/** Why a run puts the record into quarantine, or leaves it there. */
const problemOfPlan = (plan: PagePlan | string | undefined): string | null => {
  if (typeof plan !== 'object') return plan ?? null;
  const { planned, quarantined } = plan;
  if (planned.kind === 'failed') return planned.failure.message;
  return planned.kind === 'waiting' ? (quarantined?.message ?? null) : null;
};

const whyNothing = (
  data: JsonObject,
  link: Link | undefined,
  { compiled: { lifecycle }, now }: PreviewParts,
): string => {
  const { state, why } = stageOf(data, lifecycle, todayIn(lifecycle, now));
  if (state === 'left') return `The person has left. ${why}`;
  if (state === 'future') return why;
  const { unmetManager = null } = link ?? {};
  return unmetManager === null
    ? 'The user is as the record says.'
    : `The manager "${unmetManager}" has no user yet.`;
};

/** What a run would do with each record, or why it cannot use it. */
const planSample = async (
  sample: readonly SampleRecord[],
  { compiled, store, gateway, now }: PreviewParts,
): Promise<ReadonlyMap<string, PagePlan | string>> => {
  const unread = new Map<string, string>();
  const inputs: RecordInput[] = [];
  for (const record of sample) {
    const staged = stagedRecord({ type: 'record', ...record }, compiled);
    if (staged.kind === 'error') unread.set(record.id, staged.message);
    else inputs.push(staged);
  }
  const parts = {
    ...{ compiled, store, gateway, now, today: todayIn(compiled.lifecycle, now) },
    // Of no run that staged anything.
    runId: 'preview',
    // As in a run by schedule: what is settled, or waits in quarantine, is left as it is.
    isForced: false,
  };
  const pages = (async function* (): AsyncGenerator<IdentifyPage> {
    yield await Promise.resolve({ records: inputs, isRead: true });
  })();
  const identities = await identify(pages, { ...parts, isComplete: false, unchanged: new Set() });
  const page = {
    ...{ ...parts, identities, isRead: false, marksRead: false },
    groups: new GroupNames(gateway),
  };
  const plans = await planPage(inputs, page);
  return new Map<string, PagePlan | string>([
    ...unread,
    ...plans.map((plan) => [plan.sourceId, plan] as const),
  ]);
};

/** By the id of the user whose manager they are: the record, else the user. */
const managersOf = async (
  users: readonly User[],
  store: ConnectorStore,
): Promise<ReadonlyMap<string, string>> => {
  const set = users.flatMap((user) => {
    const manager = profileValue(user.profile, MANAGER) as JsonObject | undefined;
    return typeof manager?.value === 'string' ? [{ user, id: manager.value as User['id'] }] : [];
  });
  const owners = await store.owners(set.map(({ id }) => id));
  return new Map(set.map(({ user, id }) => [user.id, owners.get(id)?.sourceId ?? id]));
};

/** The attributes that the rules find, also if one of them fails, beside those of the user. */
const compare = (
  rules: readonly RuleResult[],
  user: User | undefined,
  managers: ReadonlyMap<string, string>,
) => {
  const values: Record<string, JsonValue> = {};
  for (const { target, value, message } of rules)
    if (message === undefined && value !== undefined) values[target] = value;
  const attributes = attributesOf(values);
  const names = new Set(rules.map(({ target }) => attributeOf(target)));
  return [...names].map((attribute) => ({
    attribute,
    value: masked(attribute, attributes[attribute] ?? null),
    current: !user
      ? null
      : attribute === MANAGER
        ? (managers.get(user.id) ?? null)
        : masked(attribute, profileValue(user.profile, attribute) ?? null),
  }));
};

/** Secrets and phone numbers are hidden, whatever attribute a rule puts them into. */
const masked = (name: string, value: JsonValue): JsonValue =>
  maskValues({ [name]: value })[name] ?? null;

const maskedChange = ({ attribute, before, after }: ItemView['changes'][number]) => ({
  attribute,
  before: masked(attribute, before as JsonValue),
  after: masked(attribute, after as JsonValue),
});
