import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { type Schema, useData, Time } from '../ui.ts';
import { ActiveBadge, GroupUse } from '../components/badges.tsx';
import { LogLink } from '../components/commands.tsx';
import { Copyable, ExternalId } from '../components/copy.tsx';
import { List } from '../components/list.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { type Column, UserName } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';

const columnsOf = (slug: string): readonly Column<Schema<'ListedMember'>>[] => [
  {
    title: 'User',
    cell: ({ user_id: id, display_name: name, email }) => (
      <UserName href={`/t/${slug}/users/${id}`} name={name} detail={email} />
    ),
  },
  { title: 'Status', cell: ({ active }) => <ActiveBadge active={active} /> },
  { title: 'Added', time: 'added_at' },
];

const RoomLink = ({ slug, id }: { readonly slug: string; readonly id: string }) => {
  const room = useData('/admin/v1/tenants/{slug}/rooms/{id}', { path: { slug, id } });
  return <Link href={`/t/${slug}/rooms/${id}`}>{room.data?.name ?? 'the room'}</Link>;
};

const Members = ({ slug, group }: { readonly slug: string; readonly group: Schema<'Group'> }) => {
  const [{ offset }] = useParams('offset');
  const members = useData('/admin/v1/tenants/{slug}/groups/{id}/members', {
    path: { slug, id: group.id },
    query: { limit: 50, offset },
  });
  return (
    <Section title="Members" flush>
      <List
        of={members}
        rows={(page) => page.members}
        caption={`Members of ${group.display_name}`}
        columns={columnsOf(slug)}
        by="user_id"
        empty={{
          icon: 'group',
          title: 'No members',
          text: 'Assign users to this group in the identity provider, then push it again.',
        }}
      />
    </Section>
  );
};

const GroupPage = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/groups/{id}', { path: { slug, id } });
  const up = { href: `/t/${slug}/groups`, title: 'Groups' };
  if (!read.data) return <PendingPage of={read} kind="Group" up={up} />;
  const group = read.data;
  return (
    <Page title={group.display_name} up={up} lead={<GroupUse group={group} />}>
      <div class="columns">
        <Members slug={slug} group={group} />
        <Details
          of={[
            [
              'Room',
              group.room_id === null ? (
                <span class="quiet">none</span>
              ) : (
                <RoomLink key="r" slug={slug} id={group.room_id} />
              ),
            ],
            [
              'Role',
              group.role ?? (
                <span>
                  <span class="quiet">none</span>{' '}
                  <Link href={`/t/${slug}/admin/security/sso/directory-roles`}>Map a role </Link>
                </span>
              ),
            ],
            ['External ID', <ExternalId key="e" of={group.external_id} />],
            ['Members', group.member_count],
            ['Created', <Time key="c" at={group.created_at} form="absolute" />],
            ['ID', <Copyable key="i" text={group.id} what="the group ID" />],
            ['Log', <LogLink key="l" slug={slug} of={{ q: group.id }} />],
          ]}
        />
      </div>
    </Page>
  );
};

export default GroupPage;
