import { useParams, useSort } from '../address.ts';
import { type Schema, useData, Filters } from '../ui.ts';
import { GroupUse } from '../components/badges.tsx';
import { Lazy } from '../components/lazy.tsx';
import { ListPage } from '../components/list.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';

const columnsOf = (slug: string): readonly Column<Schema<'Group'>>[] => [
  {
    title: 'Group',
    sort: 'display_name',
    cell: ({ id, display_name: name, external_id: externalId }) => (
      <RowTitle href={`/t/${slug}/groups/${id}`} title={name} detail={externalId} />
    ),
  },
  { title: 'Use', cell: (group) => <GroupUse group={group} /> },
  { title: 'Role', isMinor: true, cell: ({ role }) => role ?? <span class="quiet">none</span> },
  { title: 'Members', figure: 'member_count' },
  { title: 'Created', time: 'created_at', sort: 'created_at', isMinor: true },
  { title: 'Updated', time: 'updated_at', sort: 'updated_at', isMinor: true },
];

const FILTERS = [{ name: 'search', label: 'Search by name' }] as const;

const Groups = ({ slug }: PageProps) => {
  const [{ offset, search }, change] = useParams('offset', 'search');
  const sorted = useSort('created_at', 'display_name', 'updated_at');
  const narrow = (changes: Parameters<typeof change>[0]) => change({ ...changes, offset: '' });
  const groups = useData('/admin/v1/tenants/{slug}/groups', {
    path: { slug },
    query: { limit: 50, offset, sort: sorted.by, search },
  });
  return (
    <ListPage
      title="Groups"
      lead="Groups pushed by the identity provider. They determine the members of rooms and the roles of users."
      filters={
        <>
          <Lazy
            load={() => import('../components/refused-groups.tsx')}
            slug={slug}
            onChanged={groups.reload}
          />
          <Filters of={FILTERS} values={{ search }} onChange={narrow} />
        </>
      }
      sorted={sorted}
      of={groups}
      rows={(page) => page.groups}
      caption="Groups"
      columns={columnsOf(slug)}
      lines={8}
      empty={{
        icon: 'group',
        title: search === '' ? 'No groups yet' : 'No matching groups',
        text:
          search === ''
            ? 'Push groups from your identity provider. In Okta, use Push Groups; in Entra ID, use Users and groups.'
            : 'Search matches the beginning of words.',
      }}
    />
  );
};

export default Groups;
