import { useParams } from '../address.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { GroupUse } from '../components/badges.tsx';
import { Filters } from '../components/filters.tsx';
import { ListPage } from '../components/list.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';

const columnsOf = (slug: string): readonly Column<Schema<'Group'>>[] => [
  {
    title: 'Group',
    cell: ({ id, display_name: name, external_id: externalId }) => (
      <RowTitle href={`/t/${slug}/groups/${id}`} title={name} detail={externalId} />
    ),
  },
  { title: 'Use', cell: (group) => <GroupUse group={group} /> },
  { title: 'Role', isMinor: true, cell: ({ role }) => role ?? <span class="quiet">none</span> },
  { title: 'Members', figure: 'member_count' },
  { title: 'Updated', time: 'updated_at', isMinor: true },
];

const FILTERS = [{ name: 'name', label: 'Find by exact name' }] as const;

const Groups = ({ slug }: PageProps) => {
  const [{ offset, name }, change] = useParams('offset', 'name');
  const groups = useData('/admin/v1/tenants/{slug}/groups', {
    path: { slug },
    query: { limit: 50, offset, display_name: name },
  });
  return (
    <ListPage
      title="Groups"
      lead="Groups pushed by the identity provider. They determine the members of rooms and the roles of users."
      filters={
        <Filters
          of={FILTERS}
          values={{ name }}
          onChange={(changes) => change({ ...changes, offset: '' })}
        />
      }
      of={groups}
      rows={(page) => page.groups}
      caption="Groups"
      columns={columnsOf(slug)}
      lines={8}
      empty={{
        icon: 'group',
        title: name === '' ? 'No groups yet' : `No group named “${name}”`,
        text:
          name === ''
            ? 'Push groups from your identity provider. In Okta, use Push Groups; in Entra ID, use Users and groups.'
            : 'Enter the full name. Case does not matter.',
      }}
    />
  );
};

export default Groups;
