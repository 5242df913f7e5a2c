import { useCallback, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { AddToRoom } from '../components/add-to-room.tsx';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable } from '../components/copy-button.tsx';
import { Empty } from '../components/empty.tsx';
import { Explanation } from '../components/explanation.tsx';
import { Lookup } from '../components/lookup.tsx';
import { Note } from '../components/note.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { MappingState } from '../components/mapping-state.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Timeline } from '../components/timeline.tsx';
import { UserName } from '../components/user-name.tsx';
import { findUsers } from '../find-anything.ts';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';

const LIMIT = 50;

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
  const [isOn, setOn] = useState(member.tx_permission);
  const change = async (next: boolean) => {
    setOn(next);
    try {
      await gateway.patch('/admin/v1/tenants/{slug}/rooms/{id}/members/{userId}', {
        path: { slug, id: room.id, userId: member.user_id },
        body: { tx_permission: next },
      });
      showToast(`${member.display_name} ${next ? 'can transmit' : 'now listens only'}`);
      onChanged();
    } catch (fault) {
      setOn(!next);
      const error: ApiError = asApiError(fault);
      showToast(`${error.message} (${error.code})`, 'bad');
    }
  };
  return (
    <input
      type="checkbox"
      role="switch"
      aria-label={`${member.display_name} can transmit`}
      checked={isOn}
      disabled={!hasRole('operator')}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  );
};

const RemoveMember = ({
  slug,
  room,
  member,
  onChanged,
}: MemberActions & { readonly member: Member }) => {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        class="secondary small"
        aria-label={`Remove ${member.display_name}`}
        onClick={() => setAsking(true)}
      >
        Remove
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${member.display_name} from ${room.name}?`}
          action="Remove 1 member"
          onConfirm={async () => {
            await gateway.delete('/admin/v1/tenants/{slug}/rooms/{id}/members/{userId}', {
              path: { slug, id: room.id, userId: member.user_id },
            });
            showToast(`Removed ${member.display_name} from ${room.name}`);
            onChanged();
          }}
          onClose={() => setAsking(false)}
        >
          <p>The user no longer hears this room.</p>
          {room.group_id !== null && (
            <Note tone="warning">
              <p>
                A group of the identity provider fills this room. If the user is still in the group{' '}
                <strong>{room.display_name}</strong>, its next synchronisation adds them again.
              </p>
            </Note>
          )}
        </ConfirmDialog>
      )}
    </>
  );
};

const memberColumns = (actions: MemberActions): readonly Column<Member>[] => [
  {
    title: 'User',
    cell: ({ user_id: id, display_name: name, email }) => (
      <UserName href={`/t/${actions.slug}/users/${id}`} name={name} detail={email} />
    ),
  },
  {
    title: 'State',
    isMinor: true,
    cell: ({ active }) => (
      <Badge tone={active ? 'good' : 'neutral'}>{active ? 'Active' : 'Deactivated'}</Badge>
    ),
  },
  {
    title: 'Can transmit',
    cell: (member) => (
      <TransmitSwitch key={String(member.tx_permission)} {...actions} member={member} />
    ),
  },
  { title: 'Added', kind: 'figure', cell: ({ added_at: at }) => <Time at={at} /> },
  ...(hasRole('operator')
    ? [
        {
          title: 'Actions',
          kind: 'actions' as const,
          cell: (member: Member) => <RemoveMember {...actions} member={member} />,
        },
      ]
    : []),
];

const Members = ({ slug, room, onChanged }: MemberActions) => {
  const [{ offset }, change] = useParams('offset');
  const members = useData('/admin/v1/tenants/{slug}/rooms/{id}/members', {
    path: { slug, id: room.id },
    query: { limit: LIMIT, offset },
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
      <Async of={members} lines={6}>
        {(page) =>
          page.members.length === 0 ? (
            <Empty icon="group" title="Nobody is in this room">
              {room.display_name === null ? (
                <p>
                  Map the room to a group of the identity provider, or add members over the REST
                  API.
                </p>
              ) : (
                <p>
                  Members come from the group <strong>{room.display_name}</strong>. Assign it in the
                  identity provider, then push it.
                </p>
              )}
            </Empty>
          ) : (
            <>
              <Table
                caption={`Members of ${room.name}`}
                columns={memberColumns(actions)}
                rows={page.members}
                keyOf={({ user_id: id }) => id}
              />
              <Pager
                page={page}
                shown={page.members.length}
                onOffset={(next) => change({ offset: next === 0 ? '' : String(next) })}
              />
            </>
          )
        }
      </Async>
    </Section>
  );
};

const WhyHere = ({ slug, room, onChanged }: MemberActions) => {
  const [{ user }, change] = useParams('user');
  const find = useCallback(findUsers(slug), [slug]);
  const read = useData(
    '/admin/v1/tenants/{slug}/users/{id}',
    user === '' ? null : { path: { slug, id: user } },
  );
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    user === '' ? null : { path: { slug }, query: { user, room: room.id } },
  );
  return (
    <Section
      title="Why is a user here, or not?"
      lead={`Choose a user to see what decides whether they are in ${room.name}.`}
    >
      <Lookup
        label="User"
        placeholder="A name or an e-mail address…"
        find={find}
        nothing="No user has this name."
        onTake={({ id }) => change({ user: id })}
      />
      {user !== '' && (
        <Async of={explained} lines={4}>
          {(explanation) => (
            <Explanation
              slug={slug}
              of={explanation}
              action={
                explanation.answer.member === false &&
                read.data && (
                  <AddToRoom
                    slug={slug}
                    user={{ id: read.data.id, name: read.data.display_name }}
                    room={room}
                    onAdded={() => {
                      explained.reload();
                      onChanged();
                    }}
                  />
                )
              }
            />
          )}
        </Async>
      )}
    </Section>
  );
};

const History = ({ slug, room }: { readonly slug: string; readonly room: Room }) => {
  const commands = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { subject: room.id, limit: 10 },
  });
  return (
    <Section title="Timeline" lead="The last changes of the room itself.">
      <Async of={commands} lines={4}>
        {({ commands: list }) =>
          list.length === 0 ? (
            <Empty icon="clock" title="Nothing recorded" />
          ) : (
            <Timeline slug={slug} commands={list} />
          )
        }
      </Async>
    </Section>
  );
};

const RoomPage = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/rooms/{id}', { path: { slug, id } });
  const up = { href: `/t/${slug}/rooms`, title: 'Rooms' };
  if (!read.data)
    return (
      <Page title="Room" up={up}>
        <Async of={read} lines={8}>
          {() => null}
        </Async>
      </Page>
    );
  const room = read.data;
  return (
    <Page title={room.name} up={up} lead={<MappingState room={room} />}>
      <div class="columns">
        <div>
          <WhyHere slug={slug} room={room} onChanged={read.reload} />
          <Members key={room.member_count} slug={slug} room={room} onChanged={read.reload} />
        </div>
        <div>
          <Section title="Details">
            <Facts
              of={[
                ['Group', room.display_name ?? <span class="quiet">not mapped</span>],
                ['External id', room.external_id ?? <span class="quiet">none</span>],
                ['Role of members', room.role ?? <span class="quiet">the default role</span>],
                ['Members', room.member_count],
                ['Created', <Time key="c" at={room.created_at} form="absolute" />],
                ['Id', <Copyable key="i" text={room.id} what="the room's id" />],
              ]}
            />
          </Section>
          <History slug={slug} room={room} />
        </div>
      </div>
    </Page>
  );
};

export default RoomPage;
