import {
  type AskedPerson,
  dayInWords,
  haveAllWords,
  type JsonValue,
  type PersonFact,
  type Tenant,
  timeInWords,
  wordsIn,
} from '../../../src/plugin/api.js';
import { dateIn } from '../iso-date.js';
import { type LifecycleRules, stageOf } from '../lifecycle.js';
import type { Link } from '../link.js';
import type { PlanItem } from '../plan/plan-item.js';
import type { ConnectorService } from '../connector-service.js';
import { isAboutRecord } from '../run/quarantine.js';
import type { QuarantinedRecord } from '../run/run-record.js';
import type { StoredRun } from '../run/stored-runs.js';

/** Records in quarantine, future hires, and items of a plan that are examined. */
const MAX_RECORDS = 1_000;
const MAX_FACTS = 5;

const textsIn = (value: JsonValue | undefined): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((one) => textsIn(one as JsonValue))
    : [];
};

const firstOf = async <Value>(
  pages: AsyncIterable<readonly Value[]>,
): Promise<readonly Value[]> => {
  const found: Value[] = [];
  for await (const page of pages) {
    found.push(...page);
    if (found.length >= MAX_RECORDS) break;
  }
  return found;
};

/** A record that cannot be mapped has no label but its id. */
const nameIn = ({ sourceId, label, data }: QuarantinedRecord): string => {
  if (label !== sourceId) return label;
  return textsIn(data as JsonValue).find((text) => text.includes('@')) ?? label;
};

/** What one connector has on a person who has no user, or whose user waits for something. */
export const explainPerson = async (
  service: ConnectorService,
  { slug }: Pick<Tenant, 'slug'>,
  { text, userId }: AskedPerson,
  now: Date,
): Promise<readonly PersonFact[]> => {
  const { name: connector } = service.configured;
  const { lifecycle } = service.compiled();
  const store = await service.store();
  const words = wordsIn(text);
  const isAsked = (label: string, data: unknown, sourceId: string): boolean =>
    sourceId === owner?.sourceId ||
    (userId === undefined && haveAllWords([label, ...textsIn(data as JsonValue)], words));

  const itemsOf = async (run: StoredRun): Promise<readonly PlanItem[]> => {
    const found = await firstOf(store.itemPages(run.id));
    return found
      .map(({ item }) => item)
      .filter(
        (item) =>
          item.kind !== 'touch' &&
          (item.userId === userId || isAsked(item.label, item.after.applied, item.sourceId)),
      );
  };

  const owner = userId && (await store.owners([userId])).get(userId);
  const [current, quarantined, unused, links] = await Promise.all([
    store.currentRuns(),
    store.quarantine.list(MAX_RECORDS),
    userId ? [] : firstOf(store.unusedLinks()),
    owner?.connector === connector ? store.links.many([owner.sourceId]) : new Map<string, Link>(),
  ]);
  const page = `connectors/${connector}`;
  const about = { connector, slug, page, lifecycle, now };
  const run = current.held[0] ?? current.open[0];
  const items = run ? await itemsOf(run) : [];

  return [
    ...(run ? items.map(ofRun(run, about)) : []),
    ...quarantined
      .filter(({ label, data, sourceId }) => isAsked(label, data, sourceId))
      .map(ofQuarantined(about)),
    ...unused.filter((one) => isAsked(one.label, one.data, one.sourceId)).map(ofUnused(about)),
    ...[...links.values()].filter(({ unmet }) => unmet.length > 0).map(ofUnmet(about)),
  ].slice(0, MAX_FACTS);
};

/** The connector, for what is said of it. */
interface About {
  readonly connector: string;
  /** Of the tenant. */
  readonly slug: string;
  readonly page: string;
  readonly lifecycle: LifecycleRules;
  readonly now: Date;
}

/** What a run in progress, or a held one, will do. */
const ofRun =
  (run: StoredRun, { connector, slug, page }: About) =>
  (item: PlanItem) => {
    const groups = namesOf(item, 'add');
    const isHeld = run.state === 'held';
    const since = timeInWords(new Date(run.heldAt ?? run.createdAt));
    return {
      name: item.label,
      text: isHeld
        ? `A run of the connector "${connector}" that would ${taskOf(item)} has been waiting for approval since ${since}: ${run.message ?? 'its plan is unusual.'}`
        : `A run of the connector "${connector}" is in progress that will ${taskOf(item)}.`,
      groups,
      effect: { leaves: namesOf(item, 'remove'), ...ACTIVE[item.kind] },
      page: `${page}/runs/${run.id}`,
      remedies:
        isHeld && run.plan
          ? [
              {
                text: 'Approving the plan of the run, which applies all of it.',
                call: {
                  label: 'Approve the plan of the run',
                  path: `/connectors/${connector}/runs/${run.id}/approve`,
                  body: { plan: run.plan.digest },
                  command: [
                    ...['connector', 'approve', slug, connector, run.id],
                    ...['--plan', run.plan.digest],
                  ],
                },
              },
            ]
          : [],
    };
  };

const ofQuarantined =
  ({ connector, slug, page }: About) =>
  (record: QuarantinedRecord) => {
    const { sourceId, code, message, lastAt } = record;
    const name = nameIn(record);
    // The log has the other refusals.
    const why = isAboutRecord(record) ? `: ${message}` : '.';
    return {
      name,
      text: `On ${timeInWords(new Date(lastAt))}, the connector "${connector}" put the record ${sourceId} of ${name} into quarantine (${code})${why}`,
      groups: [],
      page,
      remedies: [
        {
          text: 'Correcting it in the source, and trying the record again with the next run.',
          call: {
            label: 'Try the record again',
            path: `/connectors/${connector}/quarantine/retry`,
            body: { record: sourceId },
            command: ['connector', 'retry', slug, connector, sourceId],
          },
        },
      ],
    };
  };

const ofUnused =
  ({ connector, page, lifecycle, now }: About) =>
  ({ sourceId, label, state, data, changesOn }: Link) => ({
    name: label,
    text:
      state === 'future' && changesOn !== null
        ? `The connector "${connector}" creates the user on ${dayInWords(changesOn)}: the first day in the record ${sourceId} is in the future.`
        : `The person has left, says the record ${sourceId} of the connector "${connector}". ${
            stageOf(data, lifecycle, dateIn(lifecycle.timeZone, now)).why
          }`,
    groups: [],
    page,
    remedies: [{ text: 'Correcting the record in the source; the next run reads it.' }],
  });

const ofUnmet =
  ({ connector, page }: About) =>
  ({ label, unmet }: Link) => ({
    name: label,
    text: `The connector "${connector}" would add the user to ${unmet.map((name) => `"${name}"`).join(', ')}, but there is no such group.`,
    groups: unmet,
    effect: { leaves: [] },
    page,
    remedies: [
      {
        text: 'Creating the group by a room or a role mapping of its name; the next run adds the user.',
      },
    ],
  });

const namesOf = ({ groups }: PlanItem, wanted: 'add' | 'remove'): readonly string[] =>
  groups.filter(({ op }) => op === wanted).map(({ name }) => name);

/** Whether the user is active once the item is applied; the other kinds leave that alone. */
const ACTIVE: Readonly<Partial<Record<PlanItem['kind'], { readonly active: boolean }>>> = {
  create: { active: true },
  reactivate: { active: true },
  deactivate: { active: false },
};

const TASKS: Readonly<Partial<Record<PlanItem['kind'], string>>> = {
  create: 'create the user',
  deactivate: 'deactivate the user',
  reactivate: 'reactivate the user',
  missing: 'count the user as missing',
  deferred: 'deactivate the user later, unless another record takes them over',
};

const taskOf = (item: PlanItem): string => {
  const { kind } = item;
  const added = namesOf(item, 'add').map((name) => `"${name}"`);
  const task = TASKS[kind] ?? (added.length > 0 ? undefined : 'change the user');
  if (added.length === 0) return task ?? '';
  return `${task === undefined ? 'add the user' : `${task} and add them`} to ${added.join(', ')}`;
};
