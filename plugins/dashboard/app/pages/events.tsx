import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Code } from '../components/code.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { ChoiceFilter, Filters } from '../components/filters.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/page.tsx';
import { CursorPager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { oneOf } from '../one-of.ts';
import type { PageProps } from '../page-route.ts';
import { useParams } from '../use-params.ts';
import { EVENT_NAMES } from '../webhook-events.ts';
import { withQuery } from '../with-query.ts';

const SHOWN = 50;
/** Places of the log that one page of a filtered feed examines. */
const EXAMINED = 500;

/** Names in the data of an event, as far as they say what it is about. */
const subjectOf = ({ data }: Schema<'Event'>): string =>
  Object.values<unknown>(data)
    .flatMap((part) => {
      if (typeof part !== 'object' || part === null) return [];
      const { display_name: displayName, name, email } = part as Readonly<Record<string, unknown>>;
      const found = [displayName, name, email].find((text) => typeof text === 'string');
      return found === undefined ? [] : [found];
    })
    .join(', ');

const columnsOf = (
  slug: string,
  change: (seq: string) => string,
): readonly Column<Schema<'Event'>>[] => [
  {
    title: 'Event',
    cell: ({ seq, event }) => (
      <Link class="row-link" href={`/t/${slug}/events${change(String(seq))}`}>
        {event}
      </Link>
    ),
  },
  { title: 'Object', cell: (event) => subjectOf(event) || <span class="quiet">–</span> },
  { title: 'Sequence', kind: 'figure', cell: ({ seq }) => seq },
  { title: 'Time', kind: 'figure', cell: ({ timestamp: at }) => <Time at={at} /> },
];

const Feed = ({ slug, newest }: { readonly slug: string; readonly newest: number }) => {
  const [{ event, to, show }, change] = useParams('event', 'to', 'show');
  const size = event === '' ? SHOWN : EXAMINED;
  const last = to === '' ? newest : Math.min(newest, Number(to));
  const after = Math.max(0, last - size);
  const name = oneOf(EVENT_NAMES, event);
  const feed = useData('/admin/v1/tenants/{slug}/events', {
    path: { slug },
    query: { after, limit: Math.max(1, last - after), event: name && [name] },
  });
  const single = useData(
    '/admin/v1/tenants/{slug}/events',
    show === '' ? null : { path: { slug }, query: { after: Number(show) - 1, limit: 1 } },
  );
  const linkTo = (seq: string): string => withQuery('', { event, to, show: seq });
  return (
    <>
      <Filters>
        <ChoiceFilter
          label="Event"
          all="All events"
          value={event}
          choices={EVENT_NAMES}
          onChange={(next) => change({ event: next })}
        />
      </Filters>
      <Async of={feed} lines={8}>
        {({ events, has_gap: hasGap }) => {
          const shown = events.filter(({ seq }) => seq <= last).toReversed();
          return (
            <>
              {shown.length === 0 ? (
                <Empty
                  icon="bolt"
                  title={newest === 0 ? 'No events yet' : 'No matching events on this page'}
                >
                  <p>
                    {newest === 0
                      ? 'Changes to users, rooms, groups and SMS lists appear here.'
                      : hasGap
                        ? 'Older events have been deleted.'
                        : 'Choose Older to continue, or clear the filter.'}
                  </p>
                </Empty>
              ) : (
                <Table
                  caption="Events, newest first"
                  columns={columnsOf(slug, linkTo)}
                  rows={shown}
                  keyOf={({ id }) => id}
                />
              )}
              {newest > 0 && (
                <CursorPager
                  count={`Events ${after + 1}–${last} of ${newest}`}
                  isFirst={last >= newest}
                  next={after === 0 ? null : String(after)}
                  onFirst={() => change({ to: '' })}
                  onNext={(next) => change({ to: next })}
                />
              )}
            </>
          );
        }}
      </Async>
      {show !== '' && (
        <Dialog wide title={`Event ${show}`} onClose={() => change({ show: '' })}>
          <Async of={single} lines={6}>
            {({ events: [found] }) =>
              found === undefined ? (
                <p>This event has been deleted.</p>
              ) : (
                <Code of={found} what="the event" />
              )
            }
          </Async>
        </Dialog>
      )}
    </>
  );
};

/** The feed begins with the oldest event: the newest command with events says where it ends. */
const Events = ({ slug }: PageProps) => {
  const commands = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { limit: 200, outcome: 'applied' },
  });
  return (
    <Page
      title="Events"
      lead="Every change in order, as webhooks and GET /events deliver it."
      actions={
        <button type="button" class="secondary" onClick={commands.reload}>
          <Icon name="refresh" />
          Refresh
        </button>
      }
    >
      <Async of={commands} lines={8}>
        {({ commands: list }) => (
          <Feed
            slug={slug}
            newest={Math.max(0, ...list.map(({ events }) => events?.last_seq ?? 0))}
          />
        )}
      </Async>
    </Page>
  );
};

export default Events;
