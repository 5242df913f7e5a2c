import { useCallback, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useParams, useSort } from '../address.ts';
import { addressOf } from '../api/address-of.ts';
import {
  gateway,
  type Schema,
  useData,
  Button,
  Filters,
  Note,
  counted,
  hasRole,
  isSetupSession,
} from '../ui.ts';
import { ActiveBadge } from '../components/badges.tsx';
import { BulkChange } from '../components/bulk-change.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { ListPage } from '../components/list.tsx';
import { Lookup } from '../components/lookup.tsx';
import { writeOf } from '../components/previewed-write.tsx';
import { SelectionBar, useSelection } from '../components/selection.tsx';
import { type Column, UserName } from '../components/table.tsx';
import { UserFormButton } from '../components/user-form.tsx';
import { listRooms } from '../find-anything.ts';
import type { PageProps } from '../page-route.ts';
import { USER_TEXTS } from '../user-texts.ts';
import { useRoles } from '../use-roles.ts';
import { attempt } from '../use-action.ts';

type User = Schema<'User'>;

/** More cannot be chosen at once. */
const MAX_CHOSEN = 1_000;
const USERS = '/admin/v1/tenants/{slug}/users';

const columnsOf = (slug: string): readonly Column<User>[] => [
  {
    title: 'User',
    sort: 'display_name',
    cell: ({ id, display_name: name, email, user_name: userName }) => (
      <UserName href={`/t/${slug}/users/${id}`} name={name} detail={email ?? userName} />
    ),
  },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Status', cell: ({ active }) => <ActiveBadge active={active} /> },
  ...USER_TEXTS.map(([name, title]) => ({
    title,
    isMinor: true,
    cell: ({ [name]: text }: User) =>
      text === null ? (
        <span class="quiet">none</span>
      ) : (
        <code class="clip" title={text}>
          {text}
        </code>
      ),
  })),
  { title: 'Created', time: 'created_at', sort: 'created_at', isMinor: true },
  { title: 'Updated', time: 'updated_at', sort: 'updated_at' },
];

const filtersOf = (roles: readonly string[]) =>
  [
    { name: 'q', label: 'Search by name, email or external ID' },
    { name: 'role', label: 'Role', all: 'All roles', choices: roles },
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

const REVERTED = 'Your identity provider may revert this at its next synchronisation.';

const ACTIONS = {
  deactivate: { label: 'Deactivate', verb: 'Deactivate', past: 'Deactivated', isDestructive: true },
  reactivate: {
    label: 'Reactivate',
    verb: 'Reactivate',
    past: 'Reactivated',
    isDestructive: false,
  },
  add: { label: 'Add to a room', verb: 'Add', past: 'Added', isDestructive: false },
  remove: { label: 'Remove from a room', verb: 'Remove', past: 'Removed', isDestructive: true },
} as const;

type Action = keyof typeof ACTIONS;

/** What is done to the chosen users; for a room, after it is chosen. */
const ChangeUsers = ({
  slug,
  action,
  users,
  onClose,
}: {
  readonly slug: string;
  readonly action: Action;
  readonly users: readonly User[];
  readonly onClose: (hasChanged: boolean) => void;
}) => {
  const [room, setRoom] = useState<{ readonly id: string; readonly title: string }>();
  const find = useCallback(listRooms(slug), [slug]);
  const overview = useData(
    '/admin/v1/tenants/{slug}/overview',
    action === 'reactivate' ? { path: { slug } } : null,
  );
  const { verb } = ACTIONS[action];
  const isOfRoom = action === 'add' || action === 'remove';
  if (isOfRoom && !room)
    return (
      <Dialog
        title={`${verb} ${counted(users.length, 'user')} ${action === 'add' ? 'to' : 'from'} a room`}
        onClose={() => onClose(false)}
      >
        <Lookup
          label="Room"
          placeholder="Search by room name"
          find={find}
          nothing="No room matches."
          onTake={setRoom}
        />
      </Dialog>
    );
  const write = (user: User) => {
    const path = { slug, id: user.id };
    if (!room)
      return writeOf('patch', `${USERS}/{id}`, { path, body: { active: action === 'reactivate' } });
    const ofRoom = { slug, id: room.id };
    return action === 'add'
      ? writeOf('post', '/admin/v1/tenants/{slug}/rooms/{id}/members', {
          path: ofRoom,
          body: { user_id: user.id },
        })
      : writeOf('delete', '/admin/v1/tenants/{slug}/rooms/{id}/members/{userId}', {
          path: { ...ofRoom, userId: user.id },
        });
  };
  const free = overview.data?.seats.available ?? Infinity;
  return (
    <BulkChange
      {...ACTIONS[action]}
      one="user"
      place={room && `${action === 'add' ? 'to' : 'from'} ${room.title}`}
      rows={users}
      keyOf={({ id }) => id}
      nameOf={({ display_name: name }) => name}
      writeOf={write}
      onClose={onClose}
    >
      {(count) => (
        <>
          {count > free && (
            <Note
              tone="warning"
              text={`Only ${counted(free, 'seat')} free: the others will be refused.`}
            />
          )}
          <p class="quiet">{REVERTED}</p>
        </>
      )}
    </BulkChange>
  );
};

/** The filters of the address, as the query of a read. */
const useQuery = () => {
  const [{ offset, ...filters }, change] = useParams('q', 'role', 'active', 'room', 'offset');
  const sorted = useSort('created_at', 'display_name', 'updated_at');
  const { q: search, ...others } = filters;
  return {
    filters,
    offset,
    sorted,
    query: { search, ...others, sort: sorted.by },
    isFiltered: Object.values(filters).some((value) => value !== ''),
    narrow: (changes: Partial<typeof filters>) => change({ ...changes, offset: '' }),
  };
};

type Query = ReturnType<typeof useQuery>;

const UserFilters = ({ slug, filters, isFiltered, narrow }: Query & Pick<PageProps, 'slug'>) => {
  const { room: id } = filters;
  const find = useCallback(listRooms(slug), [slug]);
  const room = useData(
    '/admin/v1/tenants/{slug}/rooms/{id}',
    id === '' ? null : { path: { slug, id } },
  );
  return (
    <Filters of={filtersOf(useRoles(slug))} values={filters} onChange={narrow}>
      <Lookup
        label="Room"
        placeholder="All rooms"
        chosen={room.data?.name ?? id}
        find={find}
        nothing="No room matches."
        onTake={(taken) => narrow({ room: taken.id })}
      />
      {isFiltered && (
        <Button
          label="Clear"
          class="secondary"
          onClick={() => narrow({ q: '', active: '', role: '', room: '' })}
        />
      )}
    </Filters>
  );
};

/** All users that match. */
const allOf = async (slug: string, query: Query['query'], total: number) => {
  const all: User[] = [];
  for (let from = 0; from < total; from += 500) {
    const page = { ...query, limit: 500, offset: String(from) };
    const given = Object.fromEntries(Object.entries(page).filter(([, value]) => value !== ''));
    all.push(...(await gateway.get(USERS, { path: { slug }, query: given })).users);
  }
  return all;
};

const emptyOf = (slug: string, isFiltered: boolean) =>
  isFiltered
    ? {
        icon: 'user' as const,
        title: 'No matching users',
        text: 'Search matches the beginning of names. Check the spelling or clear a filter.',
      }
    : {
        icon: 'user' as const,
        title: 'No users yet',
        text: (
          <>
            Users are added by your identity provider, a connector or the REST API.{' '}
            <Link href={`/t/${slug}/setup`}>Connect an identity provider</Link>.
          </>
        ),
      };

const Users = ({ slug }: PageProps) => {
  const [, go] = useLocation();
  const asked = useQuery();
  const { query, sorted, isFiltered } = asked;
  const path = { slug };
  const users = useData(USERS, { path, query: { ...query, limit: 50, offset: asked.offset } });
  const selection = useSelection<User>(
    ({ id }) => id,
    ({ display_name: name }) => name,
  );
  const mayEdit = hasRole('operator');
  const total = users.data?.total ?? 0;
  const chooseAll = () => attempt(async () => selection.set(await allOf(slug, query, total), true));
  return (
    <ListPage
      title="Users"
      lead="All users of this tenant."
      actions={
        <>
          {!isSetupSession() && (
            <a
              role="button"
              class="secondary"
              href={addressOf(`${USERS}/export`, { path, query })}
              download
            >
              <Icon name="download" />
              CSV
            </a>
          )}
          {mayEdit && (
            <UserFormButton slug={slug} onSaved={({ id }) => go(`/t/${slug}/users/${id}`)} />
          )}
        </>
      }
      filters={<UserFilters slug={slug} {...asked} />}
      of={users}
      rows={(page) => page.users}
      caption="Users"
      columns={columnsOf(slug)}
      sorted={sorted}
      selection={mayEdit ? selection : undefined}
      before={
        selection.chosen.size > 0 && (
          <SelectionBar
            count={selection.chosen.size}
            one="user"
            total={total}
            onAll={total <= MAX_CHOSEN ? () => void chooseAll() : undefined}
            onClear={selection.clear}
            actions={(Object.keys(ACTIONS) as Action[]).map((action) => ({
              ...ACTIONS[action],
              dialog: (close) => (
                <ChangeUsers
                  slug={slug}
                  action={action}
                  users={[...selection.chosen.values()]}
                  onClose={(hasChanged) => {
                    close();
                    if (!hasChanged) return;
                    selection.clear();
                    users.reload();
                  }}
                />
              ),
            }))}
          />
        )
      }
      lines={8}
      empty={emptyOf(slug, isFiltered)}
    />
  );
};

export default Users;
