import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { ActiveBadge } from '../components/badges.tsx';
import { Filters } from '../components/filters.tsx';
import { ListPage } from '../components/list.tsx';
import { type Column, UserName } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';

const columnsOf = (slug: string): readonly Column<Schema<'User'>>[] => [
  {
    title: 'User',
    cell: ({ id, display_name: name, email, user_name: userName }) => (
      <UserName href={`/t/${slug}/users/${id}`} name={name} detail={email ?? userName} />
    ),
  },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Status', cell: ({ active }) => <ActiveBadge active={active} /> },
  {
    title: 'External ID',
    isMinor: true,
    cell: ({ external_id: id }) =>
      id === null ? (
        <span class="quiet">none</span>
      ) : (
        <code class="clip" title={id}>
          {id}
        </code>
      ),
  },
  { title: 'Updated', time: 'updated_at' },
];

const FILTERS = [
  { name: 'q', label: 'Search by name, email or external ID' },
  {
    name: 'active',
    label: 'Status',
    all: 'All statuses',
    choices: [
      ['true', 'Active'],
      ['false', 'Deactivated'],
    ],
  },
] as const;

const Users = ({ slug }: PageProps) => {
  const [{ offset, ...filters }, change] = useParams('q', 'active', 'offset');
  const { q: search, active } = filters;
  const users = useData('/admin/v1/tenants/{slug}/users', {
    path: { slug },
    query: { search, active, limit: 50, offset },
  });
  return (
    <ListPage
      title="Users"
      lead="All users of this tenant."
      filters={
        <Filters
          of={FILTERS}
          values={filters}
          onChange={(changes) => change({ ...changes, offset: '' })}
        />
      }
      of={users}
      rows={(page) => page.users}
      caption="Users"
      columns={columnsOf(slug)}
      lines={8}
      empty={
        search === '' && active === ''
          ? {
              icon: 'user',
              title: 'No users yet',
              text: (
                <>
                  Users are added by your identity provider, a connector or the REST API.{' '}
                  <Link href={`/t/${slug}/setup`}>Connect an identity provider</Link>.
                </>
              ),
            }
          : {
              icon: 'user',
              title: 'No matching users',
              text: 'Search matches the beginning of names. Check the spelling or clear a filter.',
            }
      }
    />
  );
};

export default Users;
