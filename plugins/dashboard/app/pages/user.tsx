import { useCallback, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
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
import { Icon } from '../components/icon.tsx';
import { Lookup } from '../components/lookup.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { Timeline } from '../components/timeline.tsx';
import { findRooms } from '../find-anything.ts';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';

type User = Schema<'User'>;

const WhyThisRole = ({ slug, user }: { readonly slug: string; readonly user: User }) => {
  const explained = useData('/admin/v1/tenants/{slug}/explain', {
    path: { slug },
    query: { user: user.id, role: 'true' },
  });
  return (
    <Section title="Role" lead="Why this user has it.">
      <Async of={explained} lines={3}>
        {(explanation) => <Explanation slug={slug} of={explanation} />}
      </Async>
    </Section>
  );
};

const WhyInRoom = ({ slug, user }: { readonly slug: string; readonly user: User }) => {
  const [{ room }, change] = useParams('room');
  const find = useCallback(findRooms(slug), [slug]);
  const read = useData(
    '/admin/v1/tenants/{slug}/rooms/{id}',
    room === '' ? null : { path: { slug, id: room } },
  );
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    room === '' ? null : { path: { slug }, query: { user: user.id, room } },
  );
  return (
    <Section
      title="Why in a room, or why not?"
      lead={`Choose a room to see what decides whether ${user.display_name} is in it.`}
    >
      <Lookup
        label="Room"
        placeholder="Choose a room…"
        find={find}
        nothing="No room has this name."
        onTake={({ id }) => change({ room: id })}
      />
      {room !== '' && (
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
                    user={{ id: user.id, name: user.display_name }}
                    room={read.data}
                    onAdded={explained.reload}
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

const Rooms = ({ slug, user }: { readonly slug: string; readonly user: User }) => {
  const rooms = useData('/admin/v1/tenants/{slug}/users/{id}/rooms', {
    path: { slug, id: user.id },
  });
  return (
    <Section title="Rooms" flush>
      <Async of={rooms} lines={2}>
        {({ rooms: list, total }) =>
          list.length === 0 ? (
            <Empty icon="room" title="In no room">
              <p>Rooms follow groups of the identity provider. Ask above why not.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {list.map(({ id, name, tx_permission: canSend }) => (
                <li key={id}>
                  <Icon name="room" />
                  <Link class="row-link" href={`/t/${slug}/rooms/${id}`}>
                    {name}
                  </Link>
                  <Badge tone={canSend ? 'accent' : 'neutral'}>
                    {canSend ? 'Can transmit' : 'Listens only'}
                  </Badge>
                </li>
              ))}
              {total > list.length && <li class="quiet">{`and ${total - list.length} more`}</li>}
            </ul>
          )
        }
      </Async>
    </Section>
  );
};

const History = ({ slug, user }: { readonly slug: string; readonly user: User }) => {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const commands = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { affected: user.id, limit: 20, cursor: cursors.at(-1) },
  });
  return (
    <Section title="Timeline" lead="Every change of this user, their rooms and their role.">
      <Async of={commands} lines={6}>
        {({ commands: list, next }) => (
          <>
            {list.length === 0 ? (
              <Empty
                icon="clock"
                title={next === null ? 'Nothing recorded' : 'Nothing on this page'}
              >
                <p>
                  {next === null
                    ? 'The provisioning log keeps its lines for a limited time.'
                    : 'Older entries may exist: continue the search.'}
                </p>
              </Empty>
            ) : (
              <Timeline slug={slug} commands={list} about={user.id} />
            )}
            {(next !== null || cursors.length > 0) && (
              <div class="pager">
                <button
                  type="button"
                  class="secondary small"
                  disabled={cursors.length === 0}
                  onClick={() => setCursors(cursors.slice(0, -1))}
                >
                  Newer
                </button>
                <button
                  type="button"
                  class="secondary small"
                  disabled={next === null}
                  onClick={() => {
                    if (next !== null) setCursors([...cursors, next]);
                  }}
                >
                  Older
                </button>
              </div>
            )}
          </>
        )}
      </Async>
    </Section>
  );
};

const ChangeState = ({
  slug,
  user,
  onChanged,
}: {
  readonly slug: string;
  readonly user: User;
  readonly onChanged: () => void;
}) => {
  const [isAsking, setAsking] = useState(false);
  const verb = user.active ? 'Deactivate' : 'Reactivate';
  const change = async () => {
    await gateway.patch('/admin/v1/tenants/{slug}/users/{id}', {
      path: { slug, id: user.id },
      body: { active: !user.active },
    });
    showToast(`${verb}d ${user.display_name}`);
    onChanged();
  };
  return (
    <>
      <button
        type="button"
        class={user.active ? 'secondary danger-text' : 'secondary'}
        onClick={() => setAsking(true)}
      >
        {verb}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`${verb} ${user.display_name}?`}
          action={`${verb} 1 user`}
          isDestructive={user.active}
          onConfirm={change}
          onClose={() => setAsking(false)}
        >
          <p>
            {user.active
              ? 'The user can no longer sign in, and their seat becomes free. Rooms and role are kept.'
              : 'The user can sign in again and takes a seat.'}
          </p>
          <p class="quiet">
            Your identity provider may change it back with its next synchronisation: change it there
            as well.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
};

const UserPage = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/users/{id}', { path: { slug, id } });
  const up = { href: `/t/${slug}/users`, title: 'Users' };
  if (!read.data)
    return (
      <Page title="User" up={up}>
        <Async of={read} lines={8}>
          {() => null}
        </Async>
      </Page>
    );
  const user = read.data;
  return (
    <Page
      title={user.display_name}
      up={up}
      lead={
        <>
          {user.email ?? user.user_name}
          <Badge tone={user.active ? 'good' : 'neutral'}>
            {user.active ? 'Active' : 'Deactivated'}
          </Badge>
          <Badge tone="accent">{user.role}</Badge>
        </>
      }
      actions={
        hasRole('operator') && <ChangeState slug={slug} user={user} onChanged={read.reload} />
      }
    >
      <div class="columns">
        <div>
          <WhyInRoom slug={slug} user={user} />
          <History key={user.updated_at} slug={slug} user={user} />
        </div>
        <div>
          <Rooms slug={slug} user={user} />
          <WhyThisRole key={user.updated_at} slug={slug} user={user} />
          <Section title="Details">
            <Facts
              of={[
                ['User name', user.user_name],
                ['E-mail', user.email ?? <span class="quiet">none</span>],
                ['External id', user.external_id ?? <span class="quiet">none</span>],
                ['Seat', user.active ? 'Takes a seat' : 'Takes no seat'],
                ['Created', <Time key="c" at={user.created_at} form="absolute" />],
                ['Changed', <Time key="u" at={user.updated_at} form="absolute" />],
                ['Id', <Copyable key="i" text={user.id} what="the user's id" />],
              ]}
            />
          </Section>
        </div>
      </div>
    </Page>
  );
};

export default UserPage;
