import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Empty } from '../components/empty.tsx';
import { MappingState } from '../components/mapping-state.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { PageProps } from '../page-route.ts';
import { useParams } from '../use-params.ts';

const LIMIT = 50;

const columnsOf = (slug: string): readonly Column<Schema<'Room'>>[] => [
  {
    title: 'Room',
    cell: ({ id, name }) => (
      <Link class="row-link" href={`/t/${slug}/rooms/${id}`}>
        {name}
      </Link>
    ),
  },
  { title: 'Group', cell: (room) => <MappingState room={room} /> },
  {
    title: 'Member role',
    isMinor: true,
    cell: ({ role }) => role ?? <span class="quiet">default</span>,
  },
  { title: 'Members', kind: 'figure', cell: ({ member_count: count }) => count },
  {
    title: 'Created',
    kind: 'figure',
    isMinor: true,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];

const Rooms = ({ slug }: PageProps) => {
  const [{ offset }] = useParams('offset');
  const rooms = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { limit: LIMIT, offset },
  });
  return (
    <Page
      title="Rooms"
      lead="Talk groups and the identity provider groups that are mapped to them."
    >
      <Async of={rooms} lines={8}>
        {(page) =>
          page.rooms.length === 0 ? (
            <Empty icon="room" title="No rooms yet">
              <p>
                Create rooms on the command line with <code>rollgate room create</code>, or let
                groups of the identity provider create them: set <code>room_provisioning</code> of
                the tenant to <code>automatic</code>.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Rooms"
                columns={columnsOf(slug)}
                rows={page.rooms}
                keyOf={({ id }) => id}
              />
              <Pager page={page} shown={page.rooms.length} />
            </>
          )
        }
      </Async>
    </Page>
  );
};

export default Rooms;
