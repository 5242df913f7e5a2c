import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams, withQuery } from '../address.ts';
import { addressOf } from '../api/address-of.ts';
import { type Schema, useData, Button, Filters } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import {
  COMMAND_FILTERS,
  CommandLink,
  commandQuery,
  OUTCOME_STATES,
  sourceTitle,
} from '../components/commands.tsx';
import { instantOf, localTime, TextField } from '../components/fields.tsx';
import { Icon } from '../components/icon.tsx';
import { ListPage } from '../components/list.tsx';
import { useCursor } from '../components/pager.tsx';
import { type Column, TwoLines } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';

const HOUR_MS = 3_600_000;

const FILTERS = [
  { name: 'q', label: 'Search by name or ID' },
  { name: 'actor', label: 'Actor: operator or key' },
  { name: 'affected', label: 'Changed user or room: whole name' },
  ...COMMAND_FILTERS,
] as const;

/** Filters for which one often looks. */
const VIEWS = [
  ['All', {}],
  ['Refused', { outcome: 'refused' }],
  ['Failed', { outcome: 'failed' }],
  ['Last hour', { since: '1' }],
  ['Last 24 hours', { since: '24' }],
  ['Last 7 days', { since: '168' }],
  ['From identity providers', { source: 'scim' }],
  ['From connectors', { source: 'connector' }],
  ['From the dashboard', { source: 'dashboard' }],
] as const;

/** Ids, from links of other pages: shown by name if one of the entries has it. */
const IDS = [
  ['actor', 'Actor'],
  ['affected', 'Changed'],
  ['request_id', 'Request'],
] as const;

const columnsOf = (slug: string): readonly Column<Schema<'Command'>>[] => [
  {
    title: 'Command',
    cell: (command) => (
      <TwoLines detail={command.message}>
        <CommandLink slug={slug} of={command} />
      </TwoLines>
    ),
  },
  {
    title: 'Outcome',
    cell: ({ outcome, error }) => (
      <TwoLines detail={error !== null && <code>{error}</code>}>
        <StateBadge of={OUTCOME_STATES[outcome]} />
      </TwoLines>
    ),
  },
  {
    title: 'Actor',
    cell: ({ actor, source }) => (
      <TwoLines detail={sourceTitle(source)}>
        <span class="clip">{actor.name ?? actor.kind}</span>
      </TwoLines>
    ),
  },
  {
    title: 'Changes',
    kind: 'figure',
    isMinor: true,
    cell: ({ change_count: changes, affected_count: affected }) =>
      affected > 0 ? `${changes} (${affected} affected)` : changes,
  },
  {
    title: 'Duration',
    kind: 'figure',
    isMinor: true,
    cell: ({ duration_ms: ms }) => `${Math.round(ms)} ms`,
  },
  { title: 'Time', time: 'at' },
];

/** `next`: the cursor of the next page; null on the last one. */
const whenNoneMatches = (next: string | null) => ({
  icon: 'list' as const,
  title: 'No matching commands on this page',
  text:
    next === null
      ? 'Clear a filter to see more.'
      : 'Each page searches 5,000 entries. Choose Older to continue.',
});

const whenEmpty = (slug: string) => ({
  icon: 'list' as const,
  title: 'No commands yet',
  text: (
    <>
      Commands from your identity provider appear here immediately.{' '}
      <Link href={`/t/${slug}/setup`}>Connect an identity provider</Link>.
    </>
  ),
});

type Values = Readonly<Record<string, string>>;

/** The filters by an id whose name is known. */
const chipsOf = (
  filters: Readonly<Record<(typeof IDS)[number][0], string>>,
  commands: readonly Schema<'Command'>[] = [],
) => {
  const named = commands.flatMap(({ actor, subject, affected }) => [actor, subject, ...affected]);
  return IDS.flatMap(([name, title]) => {
    const id = filters[name];
    const known = named.find((one) => one?.id === id)?.name ?? (name === 'request_id' ? id : '');
    return id === '' || known === '' ? [] : [{ name, text: `${title}: ${known}` }];
  });
};

const SavedViews = ({ page, filters }: { readonly page: string; readonly filters: Values }) => (
  <nav class="tabs" aria-label="Saved views">
    {VIEWS.map(([title, view]) => {
      const href = withQuery(page, view);
      const isOpen = href === withQuery(page, filters);
      return (
        <Link key={title} href={href} {...(isOpen && { 'aria-current': 'page' })}>
          {title}
        </Link>
      );
    })}
  </nav>
);

const Log = ({ slug }: PageProps) => {
  const [filters, change] = useParams(
    ...FILTERS.map(({ name }) => name),
    ...(['since', 'from', 'until', 'request_id'] as const),
  );
  const { cursor, paging } = useCursor();
  const narrow = (changes: Readonly<Partial<typeof filters>>) => {
    paging.onFirst();
    change(changes);
  };
  const { since: hours, from, ...others } = filters;
  const [now] = useState(() => Date.now());
  const query = {
    ...others,
    ...commandQuery(filters),
    since: Number(hours) > 0 ? new Date(now - Number(hours) * HOUR_MS).toISOString() : from,
  };
  const path = { slug };
  const commands = useData('/admin/v1/tenants/{slug}/commands', {
    path,
    query: { ...query, limit: 100, cursor },
  });
  const exportAs = (format: 'csv' | 'ndjson'): string =>
    addressOf('/admin/v1/tenants/{slug}/commands/export', { path, query: { ...query, format } });
  const chips = chipsOf(filters, commands.data?.commands);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <ListPage
      title="Provisioning log"
      lead="Every requested change, with its actor, outcome and reason."
      actions={(['csv', 'ndjson'] as const).map((format) => (
        <a key={format} role="button" class="secondary" href={exportAs(format)} download>
          <Icon name="download" />
          {format.toUpperCase()}
        </a>
      ))}
      filters={
        <>
          <SavedViews page={`/t/${slug}/log`} filters={filters} />
          <Filters
            of={FILTERS}
            values={{ ...filters, ...Object.fromEntries(chips.map(({ name }) => [name, ''])) }}
            onChange={narrow}
          >
            {(['from', 'until'] as const).map((name) => (
              <TextField
                key={name}
                label={name === 'from' ? 'From' : 'Until'}
                type="datetime-local"
                value={localTime(query[name === 'from' ? 'since' : 'until'] || null)}
                onChange={(local) =>
                  narrow({ since: '', from: query.since, [name]: instantOf(local) ?? '' })
                }
              />
            ))}
            {chips.map(({ name, text }) => (
              <Button
                key={name}
                class="secondary small"
                aria-label={`Remove the filter ${text}`}
                onClick={() => narrow({ [name]: '' })}
              >
                {text}
                <Icon name="close" />
              </Button>
            ))}
          </Filters>
        </>
      }
      of={commands}
      rows={(page) => page.commands}
      caption="Commands, newest first"
      columns={columnsOf(slug)}
      lines={10}
      paging={{ ...paging, one: 'command', isAlways: true }}
      empty={({ next }) => (isFiltered ? whenNoneMatches(next) : whenEmpty(slug))}
    />
  );
};

export default Log;
