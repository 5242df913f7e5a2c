import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { gateway, type Schema, Note } from '../ui.ts';
import { ConfirmButton, DialogButton, FormDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { showToast } from './toasts.tsx';

interface RoomProps {
  readonly slug: string;
  readonly room: Schema<'Room'>;
  readonly onChanged: () => void;
}

const PATH = '/admin/v1/tenants/{slug}/rooms/{id}';

/** The name of the room, or of its group. */
const NameDialog = ({
  title,
  action,
  label,
  hint,
  initial,
  save,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  readonly label: string;
  readonly hint: string;
  readonly initial: string;
  readonly save: (name: string) => Promise<void>;
  readonly onClose: () => void;
}) => {
  const [name, setName] = useState(initial);
  return (
    <FormDialog
      title={title}
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        await save(name.trim());
        onClose();
      }}
    >
      <TextField
        label={label}
        name="name"
        hint={hint}
        required
        maxLength={256}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
};

/** Renames a room, maps it to a group, or deletes it. */
export const RoomActions = ({ slug, room, onChanged }: RoomProps) => {
  const [, go] = useLocation();
  const path = { slug, id: room.id };
  const isMapped = room.display_name !== null;
  return (
    <>
      <DialogButton label="Rename" class="secondary">
        {(close) => (
          <NameDialog
            title={`Rename ${room.name}`}
            action="Rename room"
            label="Name"
            hint="Unique in the tenant, ignoring case. The name of its group does not change."
            initial={room.name}
            save={async (name) => {
              await gateway.patch(PATH, { path, body: { name } });
              showToast(`Renamed ${room.name} to ${name}`);
              onChanged();
            }}
            onClose={close}
          />
        )}
      </DialogButton>
      <DialogButton label={isMapped ? 'Change group' : 'Map to group'} class="secondary">
        {(close) => (
          <NameDialog
            title={`Map ${room.name} to a group`}
            action="Map room"
            label="Group"
            hint="The display name in the identity provider. When it pushes this group, its members become those of the room."
            initial={room.display_name ?? room.name}
            save={async (name) => {
              await gateway.patch(`${PATH}/mapping`, { path, body: { display_name: name } });
              showToast(`Mapped ${room.name} to ${name}`);
              onChanged();
            }}
            onClose={close}
          />
        )}
      </DialogButton>
      {isMapped && (
        <ConfirmButton
          label="Unmap"
          title={`Unmap ${room.name}?`}
          action={`Unmap room ${room.name}`}
          onConfirm={async () => {
            await gateway.delete(`${PATH}/mapping`, { path });
            showToast(`Unmapped ${room.name}`);
            onChanged();
          }}
        >
          <p>
            The members stay. The group <strong>{room.display_name}</strong> is deleted, and no
            longer changes them.
          </p>
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Delete"
        look="secondary danger-text"
        title={`Delete ${room.name}?`}
        action={`Delete room ${room.name}`}
        onConfirm={async () => {
          await gateway.delete(PATH, { path });
          showToast(`Deleted room ${room.name}`);
          go(`/t/${slug}/rooms`);
        }}
      >
        <p>{`Its ${room.member_count} members can no longer listen or transmit in it. This cannot be undone.`}</p>
        {isMapped && (
          <Note tone="warning">
            <p>
              It is mapped to the group <strong>{room.display_name}</strong>, which is deleted too.
            </p>
          </Note>
        )}
      </ConfirmButton>
    </>
  );
};
