import type { ComponentChildren } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { gateway, useData, counted, hasRole, Note, Time } from '../ui.ts';
import { listRooms } from '../find-anything.ts';
import { ConfirmButton, DialogButton, FormDialog } from './dialog.tsx';
import { EditMapping } from './edit-mapping.tsx';
import { type Found, Lookup } from './lookup.tsx';
import { RemedyButton } from './remedy.tsx';
import { showToast } from './toasts.tsx';

const ROOMS = '/admin/v1/tenants/{slug}/rooms';

interface OfGroup {
  readonly slug: string;
  /** Its name. */
  readonly group: string;
  readonly onDone: () => void;
}

const MapToRoom = ({
  slug,
  group,
  onDone,
  onClose,
}: OfGroup & { readonly onClose: () => void }) => {
  const [room, setRoom] = useState<Found>();
  const find = useCallback(listRooms(slug, { mapped: false }), [slug]);
  return (
    <FormDialog
      title={`Map ${group} to a room`}
      action={room ? `Map ${room.title}` : 'Map room'}
      isBlocked={!room}
      onClose={onClose}
      onSubmit={async () => {
        const path = { slug, id: room?.id ?? '' };
        await gateway.patch(`${ROOMS}/{id}/mapping`, { path, body: { display_name: group } });
        showToast('Mapped the room. Link its group in the identity provider');
        onDone();
        onClose();
      }}
    >
      <Lookup
        label="Room"
        placeholder="Search the rooms without a group"
        chosen={room?.title}
        find={find}
        nothing="No room without a group matches."
        onTake={setRoom}
      />
      <p>
        When the identity provider pushes the group again, its members become those of the room.
      </p>
    </FormDialog>
  );
};

/** What can be done about a refused group: each button opens a form with its name. */
export const RefusedGroupWays = ({
  children,
  ...of
}: OfGroup & {
  /** Further buttons, before these. */
  readonly children?: ComponentChildren;
}) => {
  const { slug, group, onDone } = of;
  if (!hasRole('admin')) return null;
  return (
    <div class="cluster">
      {children}
      <DialogButton label="Map to a room" class="secondary small">
        {(close) => <MapToRoom {...of} onClose={close} />}
      </DialogButton>
      <DialogButton label="Map to a role" class="secondary small">
        {(close) => <EditMapping slug={slug} group={group} onChanged={onDone} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label="Ignore"
        look="secondary small"
        title={`Ignore ${group}?`}
        action={`Ignore ${group}`}
        isDestructive={false}
        onConfirm={async () => {
          await gateway.post('/admin/v1/tenants/{slug}/role-mappings', {
            path: { slug },
            body: { group_display_name: group, apply_on_scim_provisioning: false },
          });
          showToast(`Ignored ${group}`);
          onDone();
        }}
      >
        <p>
          The group is still refused, but nothing draws attention to it. To undo this, delete its
          mapping, which is off, in{' '}
          <Link href={`/t/${slug}/admin/security/sso/directory-roles`}>Directory roles</Link>.
        </p>
      </ConfirmButton>
    </div>
  );
};

/** Groups that were refused lately and still have no place, with the ways out; nothing if there are none. */
const RefusedGroups = ({
  slug,
  limit,
  onChanged,
}: {
  readonly slug: string;
  /** The groups that are listed, where something else says how many there are; absent: all, in a note. */
  readonly limit?: number;
  readonly onChanged: () => void;
}) => {
  const { data, reload } = useData('/admin/v1/tenants/{slug}/groups/refused', { path: { slug } });
  const groups = data?.groups ?? [];
  if (groups.length === 0) return null;
  const onDone = () => {
    reload();
    onChanged();
  };
  const list = groups
    .slice(0, limit)
    .map(({ command_id: id, display_name: name, refused_at: at }) => (
      <div key={id} class="explanation-action cluster">
        <Link href={`/t/${slug}/log/${id}`}>{name}</Link>
        <span class="quiet">
          <Time at={at} />
        </span>
        <RefusedGroupWays slug={slug} group={name} onDone={onDone}>
          <RemedyButton
            of={{
              ...{ action: 'create_room', method: 'POST', path: ROOMS.replace('{slug}', slug) },
              ...{ body: { name }, room_name: name },
            }}
            onDone={onDone}
          />
        </RefusedGroupWays>
      </div>
    ));
  return limit === undefined ? (
    <Note tone="warning">
      <details>
        <summary>
          {`${counted(groups.length, 'group was', 'groups were')} refused in the last 7 days: no room or role mapping has ${groups.length === 1 ? 'its name' : 'their names'}.`}
        </summary>
        {list}
      </details>
    </Note>
  ) : (
    <>{list}</>
  );
};

export default RefusedGroups;
