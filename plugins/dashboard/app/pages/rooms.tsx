import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useOpen, useParams } from '../address.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { MappingState } from '../components/badges.tsx';
import { Button } from '../components/button.tsx';
import { Code } from '../components/copy.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { ListPage } from '../components/list.tsx';
import type { Column } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';

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
  { title: 'Members', figure: 'member_count' },
  { title: 'Created', time: 'created_at', isMinor: true },
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
  const [isCreating, setCreating] = useOpen('create');
  const [{ offset }] = useParams('offset');
  const rooms = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { limit: 50, offset },
  });
  return (
    <ListPage
      title="Rooms"
      lead="Talk groups and the identity provider groups that are mapped to them."
      create={
        hasRole('admin') && (
          <Button icon="plus" label="Create room" onClick={() => setCreating(true)} />
        )
      }
      of={rooms}
      rows={(page) => page.rooms}
      caption="Rooms"
      columns={columnsOf(slug)}
      lines={8}
      empty={{
        icon: 'room',
        title: 'No rooms yet',
        text: 'Create a room before you push its group from the identity provider, or let the gateway create a room for each pushed group:',
        more: (
          <Code
            of={`npx rollgate tenant update ${slug} --room-provisioning automatic`}
            what="the command"
          />
        ),
      }}
    >
      {isCreating && <CreateRoom slug={slug} onClose={() => setCreating(false)} />}
    </ListPage>
  );
};

export default Rooms;
