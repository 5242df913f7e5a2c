import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Code } from '../components/code.tsx';
import { Empty } from '../components/empty.tsx';
import { TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { MappingState } from '../components/mapping-state.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
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

const CreateRoom = ({ slug, onClose }: { readonly slug: string; readonly onClose: () => void }) => {
  const [, go] = useLocation();
  const [name, setName] = useState('');
  return (
    <FormDialog
      title="Create room"
      action="Create room"
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await gateway.post('/admin/v1/tenants/{slug}/rooms', {
          path: { slug },
          body: { name },
        });
        showToast(`Created room ${name}`);
        go(`/t/${slug}/rooms/${id}`);
      }}
    >
      <TextField
        label="Name"
        hint="A group with this name in the identity provider is mapped to the room when it is pushed."
        required
        maxLength={256}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
};

const Rooms = ({ slug }: PageProps) => {
  const [isCreating, setCreating] = useState(false);
  const [{ offset }] = useParams('offset');
  const rooms = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { limit: LIMIT, offset },
  });
  const createButton = hasRole('admin') && (
    <button type="button" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      Create room
    </button>
  );
  return (
    <Page
      title="Rooms"
      lead="Talk groups and the identity provider groups that are mapped to them."
      actions={(rooms.data?.total ?? 0) > 0 && createButton}
    >
      <Async of={rooms} lines={8}>
        {(page) =>
          page.rooms.length === 0 ? (
            <Empty icon="room" title="No rooms yet">
              <p>
                Create a room before you push its group from the identity provider, or let the
                gateway create a room for each pushed group:
              </p>
              <Code
                of={`npx rollgate tenant update ${slug} --room-provisioning automatic`}
                what="the command"
              />
              {createButton}
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
      {isCreating && <CreateRoom slug={slug} onClose={() => setCreating(false)} />}
    </Page>
  );
};

export default Rooms;
