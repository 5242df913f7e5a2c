import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { Empty } from '../components/empty.tsx';
import { ChoiceFilter, Filters, SearchFilter } from '../components/filters.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { UserName } from '../components/user-name.tsx';
import type { PageProps } from '../page-route.ts';
import { useParams } from '../use-params.ts';

const LIMIT = 50;

const columnsOf = (slug: string): readonly Column<Schema<'User'>>[] => [
  {
    title: 'User',
    cell: ({ id, display_name: name, email, user_name: userName }) => (
      <UserName href={`/t/${slug}/users/${id}`} name={name} detail={email ?? userName} />
    ),
  },
  { title: 'Role', cell: ({ role }) => role },
  {
    title: 'Status',
    cell: ({ active }) => (
      <Badge tone={active ? 'good' : 'neutral'}>{active ? 'Active' : 'Deactivated'}</Badge>
    ),
  },
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
  { title: 'Updated', kind: 'figure', cell: ({ updated_at: at }) => <Time at={at} /> },
];

const Users = ({ slug }: PageProps) => {
  const [{ q, active, offset }, change] = useParams('q', 'active', 'offset');
  const isFiltered = q !== '' || active !== '';
  const users = useData('/admin/v1/tenants/{slug}/users', {
    path: { slug },
    query: { search: q, active, limit: LIMIT, offset },
  });
  return (
    <Page title="Users" lead="All users of this tenant.">
      <Filters>
        <SearchFilter
          label="Search by name, email or external ID"
          value={q}
          onChange={(text) => change({ q: text, offset: '' })}
        />
        <ChoiceFilter
          label="Status"
          all="All statuses"
          value={active}
          choices={[
            ['true', 'Active'],
            ['false', 'Deactivated'],
          ]}
          onChange={(value) => change({ active: value, offset: '' })}
        />
      </Filters>
      <Async of={users} lines={8}>
        {(page) =>
          page.users.length === 0 ? (
            <Empty icon="user" title={isFiltered ? 'No matching users' : 'No users yet'}>
              {isFiltered ? (
                <p>Search matches the beginning of names. Check the spelling or clear a filter.</p>
              ) : (
                <p>
                  Users are added by your identity provider, a connector or the REST API.{' '}
                  <Link href={`/t/${slug}/setup`}>Connect an identity provider</Link>.
                </p>
              )}
            </Empty>
          ) : (
            <>
              <Table
                caption="Users"
                columns={columnsOf(slug)}
                rows={page.users}
                keyOf={({ id }) => id}
              />
              <Pager page={page} shown={page.users.length} />
            </>
          )
        }
      </Async>
    </Page>
  );
};

export default Users;
