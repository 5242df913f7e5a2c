import { Link } from 'wouter-preact';
import { oneOf, useParams, withQuery } from '../address.ts';
import { type Schema, useData, Button, Filters } from '../ui.ts';
import { Dialog } from '../components/dialog.tsx';
import { List } from '../components/list.tsx';
import { Async, Name, Page } from '../components/page.tsx';
import { CursorPager } from '../components/pager.tsx';
import type { Column } from '../components/table.tsx';
import { EventBody } from '../components/webhook-delivery.tsx';
import type { PageProps } from '../page-route.ts';
import { EVENT_NAMES } from '../webhook-events.ts';

const FILTERS = [
  { name: 'event', label: 'Event', all: 'All events', choices: EVENT_NAMES },
] as const;

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
        <Name of={event} />
      </Link>
    ),
  },
  { title: 'Object', cell: (event) => subjectOf(event) || <span class="quiet">–</span> },
  { title: 'Sequence', figure: 'seq' },
  { title: 'Time', time: 'timestamp' },
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
  const linkTo = (seq: string): string => withQuery('', { event, to, show: seq });
  return (
    <>
      <Filters of={FILTERS} values={{ event }} onChange={change} />
      <List
        of={feed}
        rows={({ events }) => events.filter(({ seq }) => seq <= last).toReversed()}
        caption="Events, newest first"
        columns={columnsOf(slug, linkTo)}
        lines={8}
        empty={({ has_gap: hasGap }) =>
          newest === 0
            ? {
                icon: 'bolt',
                title: 'No events yet',
                text: 'Changes to users, rooms, groups and SMS lists appear here.',
              }
            : {
                icon: 'bolt',
                title: 'No matching events on this page',
                text: hasGap
                  ? 'Older events have been deleted.'
                  : 'Choose Older to continue, or clear the filter.',
              }
        }
      />
      {feed.data && newest > 0 && (
        <CursorPager
          of="events"
          count={`Events ${after + 1}–${last} of ${newest}`}
          isFirst={last >= newest}
          next={after === 0 ? null : String(after)}
          onFirst={() => change({ to: '' })}
          onNext={(next) => change({ to: next })}
        />
      )}
      {show !== '' && (
        <Dialog wide title={`Event ${show}`} onClose={() => change({ show: '' })}>
          <EventBody slug={slug} seq={Number(show)} />
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
        <Button icon="refresh" label="Refresh" class="secondary" onClick={commands.reload} />
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
