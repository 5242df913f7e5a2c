import { useCallback } from 'preact/hooks';
import { useParams } from '../address.ts';
import { type Schema, useData, Button, Filters } from '../ui.ts';
import { findRooms, findUsers, isId } from '../find-anything.ts';
import { ActiveBadge } from './badges.tsx';
import { List } from './list.tsx';
import { Lookup } from './lookup.tsx';
import { Page, Section } from './page.tsx';
import { type Column, TwoLines } from './table.tsx';
import { WhyInRoom } from './why-in-room.tsx';

type Room = Schema<'Room'>;
type Member = Schema<'ListedMember'>;
type Change = (changes: Readonly<Partial<Record<'user' | 'room' | 'offset', string>>>) => void;

const Why = ({ slug }: { readonly slug: string }) => {
  const [{ user, room }, change] = useParams('user', 'room');
  const findUser = useCallback(findUsers(slug), [slug]);
  const findRoom = useCallback(findRooms(slug), [slug]);
  const known = useData(
    '/admin/v1/tenants/{slug}/users/{id}',
    isId(user) ? { path: { slug, id: user } } : null,
  );
  const place = useData(
    '/admin/v1/tenants/{slug}/rooms/{id}',
    isId(room) ? { path: { slug, id: room } } : null,
  );
  return (
    <WhyInRoom
      slug={slug}
      title="Why is someone in a room, or not?"
      lead="Choose a person and a room. A person who was never created is found, too, by their user name."
      user={user}
      room={room}
      onChanged={() => undefined}
    >
      <div class="grid">
        <Lookup
          label="Person"
          placeholder="Person: name or email"
          chosen={known.data?.display_name ?? user}
          find={findUser}
          nothing="No person matches."
          onTake={({ id }) => change({ user: id })}
        />
        <Lookup
          label="Room"
          placeholder="Room: name"
          chosen={place.data?.name ?? room}
          find={findRoom}
          nothing="No room matches."
          onTake={({ id }) => change({ room: id })}
        />
      </div>
    </WhyInRoom>
  );
};

const roomColumns = (change: Change): readonly Column<Room>[] => [
  { title: 'Room', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Group',
    cell: ({ display_name: group }) => group ?? <span class="quiet">none</span>,
  },
  { title: 'Members', figure: 'member_count' },
  {
    title: 'Actions',
    kind: 'actions',
    cell: ({ id, name }) => (
      <Button
        label="Members"
        class="secondary small"
        aria-label={`Members of ${name}`}
        onClick={() => change({ room: id, user: '', offset: '' })}
      />
    ),
  },
];

const Rooms = ({ slug, change }: { readonly slug: string; readonly change: Change }) => {
  const [{ search, offset }, narrow] = useParams('search', 'offset');
  const rooms = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { search, sort: 'name', limit: 50, offset },
  });
  return (
    <Section
      title="Rooms"
      lead="A group of your identity provider fills the room of its name."
      flush
    >
      <Filters
        of={[{ name: 'search', label: 'Search by name' }]}
        values={{ search }}
        onChange={(changes) => narrow({ ...changes, offset: '' })}
      />
      <List
        of={rooms}
        rows={(page) => page.rooms}
        caption="Rooms"
        columns={roomColumns(change)}
        empty={{ icon: 'room', title: search === '' ? 'No rooms yet' : 'No matching rooms' }}
      />
    </Section>
  );
};

const memberColumns = (change: Change): readonly Column<Member>[] => [
  {
    title: 'Person',
    cell: ({ display_name: name, email }) => <TwoLines detail={email}>{name}</TwoLines>,
  },
  { title: 'Status', isMinor: true, cell: ({ active }) => <ActiveBadge active={active} /> },
  { title: 'Can transmit', cell: ({ tx_permission: can }) => (can ? 'yes' : 'listens only') },
  { title: 'Added', time: 'added_at' },
  {
    title: 'Actions',
    kind: 'actions',
    cell: ({ user_id: id, display_name: name }) => (
      <Button
        label="Why?"
        class="secondary small"
        aria-label={`Why is ${name} in this room?`}
        onClick={() => change({ user: id })}
      />
    ),
  },
];

const Members = ({
  slug,
  room: { id, name },
  change,
}: {
  readonly slug: string;
  readonly room: Room;
  readonly change: Change;
}) => {
  const [{ offset }] = useParams('offset');
  const members = useData('/admin/v1/tenants/{slug}/rooms/{id}/members', {
    path: { slug, id },
    query: { limit: 50, offset },
  });
  return (
    <Section
      title={`Members of ${name}`}
      actions={
        <Button
          label="All rooms"
          class="secondary small"
          onClick={() => change({ room: '', user: '', offset: '' })}
        />
      }
      flush
    >
      <List
        of={members}
        rows={(page) => page.members}
        caption={`Members of ${name}`}
        columns={memberColumns(change)}
        by="user_id"
        empty={{ icon: 'group', title: 'No members yet' }}
      />
    </Section>
  );
};

/** Who is in which room, and why. */
const People = ({ slug }: { readonly slug: string }) => {
  const [{ room }, change] = useParams('room', 'user', 'offset');
  const { data } = useData(
    '/admin/v1/tenants/{slug}/rooms/{id}',
    isId(room) ? { path: { slug, id: room } } : null,
  );
  return (
    <Page title="People and rooms" lead="Who is in which room, and why.">
      <Why slug={slug} />
      {data ? (
        <Members slug={slug} room={data} change={change} />
      ) : (
        <Rooms slug={slug} change={change} />
      )}
    </Page>
  );
};

export default People;
