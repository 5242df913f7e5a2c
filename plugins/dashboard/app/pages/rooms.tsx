import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useOpen, useParams, useSort } from '../address.ts';
import { gateway, type Schema, useData, Button, Filters, hasRole, isSetupSession } from '../ui.ts';
import { MappingState } from '../components/badges.tsx';
import { Code } from '../components/copy.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { ListPage } from '../components/list.tsx';
import type { Column } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import type { PageProps } from '../page-route.ts';
import { useRoles } from '../use-roles.ts';

const columnsOf = (slug: string): readonly Column<Schema<'Room'>>[] => [
  {
    title: 'Room',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link class="row-link" href={`/t/${slug}/rooms/${id}`}>
        {name.trim() || '(blank)'}
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
  { title: 'Created', time: 'created_at', sort: 'created_at', isMinor: true },
];

const filtersOf = (roles: readonly string[]) =>
  [
    { name: 'search', label: 'Search by name' },
    {
      name: 'mapped',
      label: 'Group',
      all: 'With or without a group',
      choices: [
        ['true', 'Mapped to a group'],
        ['false', 'Not mapped'],
      ],
    },
    { name: 'role', label: 'Member role', all: 'All member roles', choices: roles },
  ] as const;

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
          body: { name: name.trim() },
        });
        showToast(`Created room ${name.trim()}`);
        go(`/t/${slug}/rooms/${id}`);
      }}
    >
      <TextField
        label="Name"
        name="name"
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
  const [{ offset, ...filters }, change] = useParams('search', 'mapped', 'role', 'offset');
  const sorted = useSort('created_at', 'name');
  const narrow = (changes: Parameters<typeof change>[0]) => change({ ...changes, offset: '' });
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const rooms = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { ...filters, sort: sorted.by, limit: 50, offset },
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
      filters={<Filters of={filtersOf(useRoles(slug))} values={filters} onChange={narrow} />}
      sorted={sorted}
      of={rooms}
      rows={(page) => page.rooms}
      caption="Rooms"
      columns={columnsOf(slug)}
      lines={8}
      empty={
        isFiltered
          ? {
              icon: 'room',
              title: 'No matching rooms',
              text: 'Search matches the beginning of words. Clear a filter.',
            }
          : {
              icon: 'room',
              title: 'No rooms yet',
              ...(!isSetupSession() && {
                text: 'Create a room before you push its group from the identity provider, or let the gateway create a room for each pushed group:',
                more: (
                  <Code
                    of={`rollgate tenant update ${slug} --room-provisioning automatic`}
                    what="the command"
                  />
                ),
              }),
            }
      }
    >
      {isCreating && <CreateRoom slug={slug} onClose={() => setCreating(false)} />}
    </ListPage>
  );
};

export default Rooms;
