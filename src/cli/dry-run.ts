import { z } from 'zod';
import { SilentExit } from './cli-error.js';
import { type Format, render } from './output.js';
import type { CliSection } from '../start/load-extensions.js';
import type { CliContext } from './cli-context.js';
import type { GatewayClient } from './gateway-access.js';
import type { Paint } from './terminal-text.js';
import { SkippedMembers, skippedMembersIn } from './skipped-members.js';
import { renderSection } from './table.js';

const Refused = z.object({ error: z.string(), message: z.string() });

/** What a request would do, as the API says. */
export const DryRun = z.object({
  status: z.int(),
  body: z.unknown(),
  events: z.array(z.object({ event: z.string() })),
  event_count: z.int(),
  role_change_summary: z.array(z.object({ from: z.string(), to: z.string(), count: z.int() })),
  seats: z.object({ before: z.int(), after: z.int() }),
  remaining: z.int(),
  ...SkippedMembers.shape,
});
export type DryRun = z.output<typeof DryRun>;

const isRefused = ({ status }: DryRun): boolean => status >= 400;

/** Status, events, and changed roles and seats, for people. */
export const describeDryRun = (preview: DryRun): CliSection => {
  const { status, body, seats, remaining } = preview;
  const refused = isRefused(preview) ? Refused.safeParse(body).data : undefined;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['status', refused ? `${status} ${refused.error}: ${refused.message}` : String(status)],
    ['events', eventsOf(preview)],
    ['changed roles', rolesOf(preview)],
    ['seats', seats.before === seats.after ? 'unchanged' : `${seats.before} → ${seats.after}`],
    ['members left to a job', remaining > 0 ? String(remaining) : undefined],
    ['left out', skippedMembersIn(preview)],
  ];
  return { fields: fields.filter(([, value]) => value !== undefined) };
};

/** `3 (user.created, group.updated)` */
const eventsOf = ({ events, event_count: count }: DryRun): string => {
  if (count === 0) return 'none';
  const names = [...new Set(events.map(({ event }) => event))].join(', ');
  return `${count} (${names})`;
};

const rolesOf = ({ role_change_summary: changes }: DryRun): string =>
  changes.length === 0
    ? 'none'
    : changes.map(({ from, to, count }) => `${count} from ${from} to ${to}`).join(', ');

/** Of new things, these are placeholders or change with everything. */
const UNSHOWN = new Set(['id', 'key', 'key_id', 'prefix', 'secret', 'created_at', 'updated_at']);

type Fields = Readonly<Record<string, unknown>>;

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

interface Previewed {
  /** The item as it is; undefined: a new one. */
  readonly before: unknown;
  readonly preview: DryRun;
  readonly text: string;
}

const isNamed = (value: unknown): boolean => typeof fieldsIn(value)['name'] === 'string';

/** The fields of named items by their path: `attributes.level.type`. */
const fieldsOfItems = (field: string, items: unknown): Fields =>
  Object.fromEntries(
    (Array.isArray(items) ? items : [])
      .map(fieldsIn)
      .flatMap(({ name, ...rest }) =>
        Object.entries(rest).map(([key, value]) => [`${field}.${String(name)}.${key}`, value]),
      ),
  );

/** The values that are compared: a field, or of a list of named items their fields. */
const valuesIn = (field: string, value: unknown, other: unknown): Fields =>
  [value, other].flat().some(isNamed) ? fieldsOfItems(field, value) : { [field]: value };

/** The fields that differ. */
const changesIn = ({ before, preview }: Previewed): readonly CliSection[] => {
  const [old, changed] = [fieldsIn(before), fieldsIn(preview.body)];
  const rows = Object.keys(changed)
    .filter((name) => !UNSHOWN.has(name))
    .flatMap((name) => {
      const one = valuesIn(name, old[name], changed[name]);
      const other = valuesIn(name, changed[name], old[name]);
      return Object.keys({ ...one, ...other }).map(
        (key) => [key, textOf(one[key]), textOf(other[key])] as const,
      );
    })
    .filter(([, one, other]) => one !== other);
  if (isRefused(preview) || rows.length === 0) return [];
  return [{ columns: [{ title: 'FIELD' }, { title: 'BEFORE' }, { title: 'AFTER' }], rows }];
};

interface Printing {
  readonly context: Pick<CliContext, 'stdout' | 'stderr'>;
  readonly format: Format;
  readonly paint: Paint;
}

/** Ends a command whose next request depends on one that would be refused. */
class DryRunEnd extends Error {}

/** Sends writes as dry runs, and collects what they would do. */
export const createDryRun = (client: GatewayClient) => {
  const previews: Previewed[] = [];

  const request: GatewayClient['request'] = async (method, path, parts = {}) => {
    if (method === 'GET') return client.request(method, path, parts);
    const before =
      method === 'PATCH' || method === 'PUT'
        ? await client.request('GET', path).then(
            ({ text }) => JSON.parse(text) as unknown,
            () => undefined,
          )
        : undefined;
    // A gateway refuses the parameter where it cannot do without the change; it may ignore a header.
    const query = { ...parts.query, dry_run: 'true' };
    const { text } = await client.request(method, path, { ...parts, query });
    const preview = DryRun.parse(JSON.parse(text));
    previews.push({ before, preview, text });
    if (isRefused(preview)) throw new DryRunEnd();
    const body = preview.body === null ? '' : JSON.stringify(preview.body);
    return { status: preview.status, text: body };
  };

  /** Runs a command, prints what it would change, and exits with 1 if it would be refused. */
  const run = async (
    { context, format, paint }: Printing,
    command: () => Promise<void>,
  ): Promise<void> => {
    await command().catch((error: unknown) => {
      if (!(error instanceof DryRunEnd)) throw error;
    });
    if (format === 'table') context.stderr.write('Dry run: nothing was changed.\n\n');
    const sections = previews.flatMap((each) => [describeDryRun(each.preview), ...changesIn(each)]);
    const texts = previews.map(({ text }) => text);
    context.stdout.write(
      render(format, {
        people: () => sections.map((section) => renderSection(section, paint)).join('\n'),
        json: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`,
        quiet: () => previews.map(({ preview }) => String(preview.status)).join('\n'),
      }),
    );
    if (previews.some(({ preview }) => isRefused(preview))) throw new SilentExit();
  };

  return { client: { request }, run };
};
