import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { gateway, type Schema, useData, Note, Time, hasRole, isSetupSession } from '../ui.ts';
import { ActiveBadge, MappingState } from '../components/badges.tsx';
import { Copyable, ExternalId } from '../components/copy.tsx';
import { ConfirmButton } from '../components/dialog.tsx';
import { List } from '../components/list.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { RoomActions } from '../components/room-actions.tsx';
import { type Column, UserName } from '../components/table.tsx';
import { History } from '../components/timeline.tsx';
import { showToast } from '../components/toasts.tsx';
import { WhyInRoom } from '../components/why-in-room.tsx';
import type { PageProps } from '../page-route.ts';
import { attempt } from '../use-action.ts';

type Room = Schema<'Room'>;
type Member = Schema<'ListedMember'>;

interface MemberActions {
  readonly slug: string;
  readonly room: Room;
  readonly onChanged: () => void;
}

const TransmitSwitch = ({
  slug,
  room,
  member,
  onChanged,
}: MemberActions & { readonly member: Member }) => {
  const change = async (next: boolean) => {
    await gateway.patch('/admin/v1/tenants/{slug}/rooms/{id}/members/{userId}', {
      path: { slug, id: room.id, userId: member.user_id },
      body: { tx_permission: next },
    });
    showToast(`${member.display_name} ${next ? 'can transmit' : 'can only listen'}`);
  };
  return (
    <input
      type="checkbox"
      role="switch"
      aria-label={`${member.display_name} can transmit`}
      checked={member.tx_permission}
      disabled={!hasRole('operator')}
      // Read again after a refusal, too: the switch then shows what is stored.
      onChange={({ currentTarget }) =>
        void attempt(() => change(currentTarget.checked)).then(onChanged)
      }
    />
  );
};

const RemoveMember = ({
  slug,
  room,
  member: { user_id: userId, display_name: name },
  onChanged,
}: MemberActions & { readonly member: Member }) => (
  <ConfirmButton
    label="Remove"
    about={`Remove ${name}`}
    look="secondary small"
    title={`Remove ${name} from ${room.name}?`}
    action="Remove 1 member"
    onConfirm={async () => {
      await gateway.delete('/admin/v1/tenants/{slug}/rooms/{id}/members/{userId}', {
        path: { slug, id: room.id, userId },
      });
      showToast(`Removed ${name} from ${room.name}`);
      onChanged();
    }}
  >
    <p>The user can no longer listen or transmit in this room.</p>
    {room.group_id !== null && (
      <Note tone="warning">
        <p>
          This room is mapped to the group <strong>{room.display_name}</strong>. If the user is
          still in that group, the next synchronisation adds them again.
        </p>
      </Note>
    )}
  </ConfirmButton>
);

const memberColumns = (actions: MemberActions): readonly Column<Member>[] => [
  {
    title: 'User',
    cell: ({ user_id: id, display_name: name, email }) => (
      // Their page says why they are in this room.
      <UserName
        href={`/t/${actions.slug}/users/${id}?room=${actions.room.id}`}
        name={name}
        detail={email}
      />
    ),
  },
  { title: 'Status', isMinor: true, cell: ({ active }) => <ActiveBadge active={active} /> },
  {
    title: 'Can transmit',
    cell: (member) => <TransmitSwitch {...actions} member={member} />,
  },
  { title: 'Added', time: 'added_at' },
  {
    title: 'Actions',
    kind: 'actions',
    role: 'operator',
    cell: (member) => <RemoveMember {...actions} member={member} />,
  },
];

const Members = ({ slug, room, onChanged }: MemberActions) => {
  const [{ offset }] = useParams('offset');
  const members = useData('/admin/v1/tenants/{slug}/rooms/{id}/members', {
    path: { slug, id: room.id },
    query: { limit: 50, offset },
  });
  const actions = {
    slug,
    room,
    onChanged: () => {
      members.reload();
      onChanged();
    },
  };
  return (
    <Section title="Members" flush>
      <List
        of={members}
        rows={(page) => page.members}
        caption={`Members of ${room.name}`}
        columns={memberColumns(actions)}
        by="user_id"
        empty={{
          icon: 'group',
          title: 'No members yet',
          text:
            room.display_name === null ? (
              'Choose a user above to see how to add them, or map the room to a group in the identity provider.'
            ) : (
              <>
                Members come from the group <strong>{room.display_name}</strong>. Assign it in the
                identity provider, then push it.
              </>
            ),
        }}
      />
    </Section>
  );
};

const RoomPage = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/rooms/{id}', { path: { slug, id } });
  const [changed, setChanged] = useState(0);
  const up = { href: `/t/${slug}/rooms`, title: 'Rooms' };
  if (!read.data) return <PendingPage of={read} kind="Room" up={up} />;
  const room = read.data;
  const onChanged = () => {
    read.reload();
    setChanged(changed + 1);
  };
  return (
    <Page
      title={room.name}
      up={up}
      lead={<MappingState room={room} />}
      actions={hasRole('admin') && <RoomActions slug={slug} room={room} onChanged={onChanged} />}
    >
      <div class="columns">
        <div>
          <WhyInRoom slug={slug} page="room" id={id} onChanged={onChanged} />
          <Members key={room.member_count} slug={slug} room={room} onChanged={onChanged} />
        </div>
        <div>
          <Details
            of={[
              [
                'Group',
                room.group_id === null || isSetupSession() ? (
                  (room.display_name ?? <span class="quiet">not mapped</span>)
                ) : (
                  <Link key="g" href={`/t/${slug}/groups/${room.group_id}`}>
                    {room.display_name}
                  </Link>
                ),
              ],
              ['External ID', <ExternalId key="e" of={room.external_id} />],
              ['Member role', room.role ?? <span class="quiet">default</span>],
              ['Members', room.member_count],
              ['Created', <Time key="c" at={room.created_at} form="absolute" />],
              ['ID', <Copyable key="i" text={room.id} what="the room ID" />],
            ]}
          />
          {!isSetupSession() && (
            <History
              key={changed}
              slug={slug}
              about={{ kind: 'room', id: room.id }}
              lead="Changes to this room and its members."
            />
          )}
        </div>
      </div>
    </Page>
  );
};

export default RoomPage;
