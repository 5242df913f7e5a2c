import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Empty } from '../components/empty.tsx';
import { Filters, SearchFilter } from '../components/filters.tsx';
import { GroupUse } from '../components/group-use.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { PageProps } from '../page-route.ts';
import { useParams } from '../use-params.ts';

const LIMIT = 50;

const columnsOf = (slug: string): readonly Column<Schema<'Group'>>[] => [
  {
    title: 'Group',
    cell: ({ id, display_name: name, external_id: externalId }) => (
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/groups/${id}`}>
          <strong>{name}</strong>
        </Link>
        {externalId !== null && <small>{externalId}</small>}
      </span>
    ),
  },
  { title: 'Use', cell: (group) => <GroupUse group={group} /> },
  { title: 'Role', isMinor: true, cell: ({ role }) => role ?? <span class="quiet">none</span> },
  { title: 'Members', kind: 'figure', cell: ({ member_count: count }) => count },
  {
    title: 'Updated',
    kind: 'figure',
    isMinor: true,
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];

const Groups = ({ slug }: PageProps) => {
  const [{ offset, name }, change] = useParams('offset', 'name');
  const groups = useData('/admin/v1/tenants/{slug}/groups', {
    path: { slug },
    query: { limit: LIMIT, offset, display_name: name },
  });
  return (
    <Page
      title="Groups"
      lead="Groups pushed by the identity provider. They determine the members of rooms and the roles of users."
    >
      <Filters>
        <SearchFilter
          label="Find by exact name"
          value={name}
          onChange={(next) => change({ name: next, offset: '' })}
        />
      </Filters>
      <Async of={groups} lines={8}>
        {(page) =>
          page.groups.length === 0 ? (
            <Empty icon="group" title={name === '' ? 'No groups yet' : `No group named “${name}”`}>
              <p>
                {name === ''
                  ? 'Push groups from your identity provider. In Okta, use Push Groups; in Entra ID, use Users and groups.'
                  : 'Enter the full name. Case does not matter.'}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Groups"
                columns={columnsOf(slug)}
                rows={page.groups}
                keyOf={({ id }) => id}
              />
              <Pager page={page} shown={page.groups.length} />
            </>
          )
        }
      </Async>
    </Page>
  );
};

export default Groups;
