import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { addressOf } from '../api/address-of.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import {
  COMMAND_TYPES,
  nameOf,
  OUTCOME_TONES,
  OUTCOME_WORDS,
  OUTCOMES,
  SOURCE_NAMES,
  SOURCES,
  sourceTitle,
  verbOf,
} from '../commands.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { Empty } from '../components/empty.tsx';
import { ChoiceFilter, Filters, SearchFilter } from '../components/filters.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/page.tsx';
import { CursorPager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { oneOf } from '../one-of.ts';
import type { PageProps } from '../page-route.ts';
import { useCursor } from '../use-cursor.ts';
import { useParams } from '../use-params.ts';

const LIMIT = 100;
const FILTERS = [
  'q',
  'outcome',
  'source',
  'type',
  'actor',
  'affected',
  'request_id',
  'since',
] as const;

const HOUR_MS = 3_600_000;
const PERIODS: readonly (readonly [value: string, title: string])[] = [
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
];

const columnsOf = (slug: string): readonly Column<Schema<'Command'>>[] => [
  {
    title: 'Command',
    cell: (command) => (
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/log/${command.id}`}>
          {verbOf(command)} {command.subject && <strong>{nameOf(command.subject)}</strong>}
        </Link>
        {command.message !== null && <small>{command.message}</small>}
      </span>
    ),
  },
  {
    title: 'Outcome',
    cell: ({ outcome, error }) => (
      <>
        <Badge tone={OUTCOME_TONES[outcome]}>{OUTCOME_WORDS[outcome]}</Badge>
        {error !== null && <code class="log-code">{error}</code>}
      </>
    ),
  },
  {
    title: 'Actor',
    cell: ({ actor, source }) => (
      <span class="log-who">
        {actor.name ?? actor.kind}
        <small>{sourceTitle(source)}</small>
      </span>
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
  { title: 'Time', kind: 'figure', cell: ({ at }) => <Time at={at} /> },
];

/** What narrows the log besides the fields above it, from links of other pages. */
const Narrowed = ({
  title,
  value,
  onClear,
}: {
  readonly title: string;
  readonly value: string;
  readonly onClear: () => void;
}) =>
  value === '' ? null : (
    <button type="button" class="chip" onClick={onClear} aria-label={`Remove the filter ${title}`}>
      {`${title}: ${value}`}
      <Icon name="close" />
    </button>
  );

const Log = ({ slug }: PageProps) => {
  const [filters, change] = useParams(...FILTERS);
  const { cursor, toFirst, pager } = useCursor();
  const narrow = (changes: Readonly<Partial<typeof filters>>) => {
    toFirst();
    change(changes);
  };
  const { since: hours, outcome, source, type, ...others } = filters;
  const [now] = useState(() => Date.now());
  const since = hours === '' ? '' : new Date(now - Number(hours) * HOUR_MS).toISOString();
  const query = {
    ...others,
    outcome: oneOf(OUTCOMES, outcome),
    source: oneOf(SOURCE_NAMES, source),
    type: oneOf(COMMAND_TYPES, type),
    since,
  };
  const path = { slug };
  const commands = useData('/admin/v1/tenants/{slug}/commands', {
    path,
    query: { ...query, limit: LIMIT, cursor },
  });
  const exportAs = (format: 'csv' | 'ndjson'): string =>
    addressOf('/admin/v1/tenants/{slug}/commands/export', { path, query: { ...query, format } });
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <Page
      title="Provisioning log"
      lead="Every requested change, with its actor, outcome and reason."
      actions={
        <>
          <a role="button" class="secondary" href={exportAs('csv')} download>
            <Icon name="download" />
            CSV
          </a>
          <a role="button" class="secondary" href={exportAs('ndjson')} download>
            <Icon name="download" />
            NDJSON
          </a>
        </>
      }
    >
      <Filters>
        <SearchFilter
          label="Search by name or ID"
          value={filters.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label="Outcome"
          all="All outcomes"
          value={filters.outcome}
          choices={OUTCOMES.map((one) => [one, OUTCOME_WORDS[one]] as const)}
          onChange={(value) => narrow({ outcome: value })}
        />
        <ChoiceFilter
          label="Source"
          all="All sources"
          value={filters.source}
          choices={SOURCES}
          onChange={(value) => narrow({ source: value })}
        />
        <ChoiceFilter
          label="Type"
          all="All types"
          value={filters.type}
          choices={COMMAND_TYPES}
          onChange={(value) => narrow({ type: value })}
        />
        <ChoiceFilter
          label="Period"
          all="Any time"
          value={filters.since}
          choices={PERIODS}
          onChange={(period) => narrow({ since: period })}
        />
        <Narrowed title="User" value={filters.affected} onClear={() => narrow({ affected: '' })} />
        <Narrowed title="Actor" value={filters.actor} onClear={() => narrow({ actor: '' })} />
        <Narrowed
          title="Request"
          value={filters.request_id}
          onClear={() => narrow({ request_id: '' })}
        />
      </Filters>
      <Async of={commands} lines={10}>
        {({ commands: list, next }) => (
          <>
            {list.length === 0 ? (
              <Empty
                icon="list"
                title={isFiltered ? 'No matching commands on this page' : 'No commands yet'}
              >
                {isFiltered ? (
                  <p>
                    {next === null
                      ? 'Clear a filter to see more.'
                      : 'Each page searches 5,000 entries. Choose Older to continue.'}
                  </p>
                ) : (
                  <p>
                    Commands from your identity provider appear here immediately.{' '}
                    <Link href={`/t/${slug}/setup`}>Connect an identity provider</Link>.
                  </p>
                )}
              </Empty>
            ) : (
              <Table
                caption="Commands, newest first"
                columns={columnsOf(slug)}
                rows={list}
                keyOf={({ id }) => id}
              />
            )}
            <CursorPager
              count={list.length === 1 ? '1 command' : `${list.length} commands`}
              next={next}
              {...pager}
            />
          </>
        )}
      </Async>
    </Page>
  );
};

export default Log;
