import { useState } from 'preact/hooks';
import { gateway, type OperatorRole, type Schema, hasRole } from '../ui.ts';
import { DialogButton, FormDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { showToast } from './toasts.tsx';

type Remedy = Schema<'ExplainedRemedy'>;

interface Action {
  readonly role: OperatorRole;
  readonly label: (remedy: Remedy) => string;
  /** What was done. */
  readonly done: string;
  /** What to know before. */
  readonly note?: string;
  /** A field of the body that can be changed, and its label. */
  readonly field?: readonly [name: string, label: string];
}

const ACTIONS: Readonly<Record<Remedy['action'], Action>> = {
  add_member: {
    role: 'operator',
    label: ({ room_name: room }) => `Add the user to ${room}`,
    done: 'Added to the room',
    note: 'If a group of the identity provider fills the room, add the user there as well: its next synchronisation can remove them again.',
  },
  remove_member: {
    role: 'operator',
    label: ({ room_name: room }) => `Remove the user from ${room}`,
    done: 'Removed from the room',
    note: 'If the user is still in the group of the room, the next synchronisation adds them again.',
  },
  update_member: {
    role: 'operator',
    label: ({ body }) =>
      body?.['tx_permission'] === true ? 'Let the user transmit' : 'Let the user only listen',
    done: 'Changed the transmit permission',
  },
  create_room: {
    role: 'admin',
    label: ({ room_name: room }) => `Create the room ${room}`,
    done: 'Created the room. Push the group again',
    note: 'A group of this name is mapped to the room when the identity provider pushes it again.',
    field: ['name', 'Name'],
  },
  map_room: {
    role: 'admin',
    label: ({ room_name: room }) => `Map ${room} to a group`,
    done: 'Mapped the room. Link its group in the identity provider',
    note: 'The group then adds and removes the members of the room.',
    field: ['display_name', 'Name of the group in the identity provider'],
  },
  rename_room: {
    role: 'admin',
    label: ({ body }) => `Rename the room to ${String(body?.['name'])}`,
    done: 'Renamed the room',
    field: ['name', 'Name'],
  },
  raise_seats: {
    role: 'admin',
    label: ({ body }) => `Raise the seats to ${String(body?.['seat_capacity'])}`,
    done: 'Changed the number of seats. Create the user again',
    field: ['seat_capacity', 'Seats'],
  },
  reactivate_user: {
    role: 'operator',
    label: () => 'Reactivate the user',
    done: 'Reactivated the user',
    note: 'The user can sign in again and takes a seat. Your identity provider may revert this: reactivate the user there as well.',
  },
  update_role_mapping: {
    role: 'admin',
    label: ({ group_name: group }) => `Change the mapping of ${group}`,
    done: 'Changed the role mapping',
    note: 'It may change the role of other users too. Directory roles shows whose.',
    field: ['priority', 'Priority'],
  },
  allow_removals: {
    role: 'operator',
    label: ({ key_name: key }) => `Allow ${key} to remove more`,
    done: 'Allowed for an hour. Push the group again',
    note: 'For an hour, the tenant’s limit of removals does not apply to this API key. Make sure that the removals are intended.',
  },
  provision_rooms: {
    role: 'admin',
    label: () => 'Create rooms automatically',
    done: 'Rooms are created by pushes. Push the group again',
    note: 'From now on, every group that the identity provider pushes gets a room, unless it has a role mapping.',
  },
  plugin: {
    role: 'operator',
    label: ({ label = 'Do it' }) => label,
    done: 'Done',
  },
};

type Call = (verb: string, path: string, options: object) => Promise<unknown>;

/** A button that makes the change, after asking; nothing without the role that it needs. */
export const RemedyButton = ({
  of: remedy,
  onDone,
}: {
  readonly of: Remedy;
  readonly onDone: () => void;
}) => {
  const { role, label, done, note, field: known } = ACTIONS[remedy.action];
  const { path, body } = remedy;
  const method = remedy.method.toLowerCase();
  const field = known && body && known[0] in body ? known : undefined;
  const given = field ? (body?.[field[0]] as string | number) : '';
  const [value, setValue] = useState(String(given));
  if (!hasRole(role)) return null;
  const isNumber = typeof given === 'number';
  const title = label(remedy);
  return (
    <DialogButton label={title} class="secondary">
      {(close) => (
        <FormDialog
          title={`${title}?`}
          action={remedy.action === 'remove_member' ? 'Remove 1 member' : title}
          onClose={close}
          onSubmit={async () => {
            const changed = field && { [field[0]]: isNumber ? Number(value) : value };
            const options = body ? { body: { ...body, ...changed } } : {};
            // A path without parameters, whose type nobody knows beforehand.
            await (gateway.request as unknown as Call)(method, path, options);
            showToast(done);
            close();
            onDone();
          }}
        >
          {note !== undefined && <p>{note}</p>}
          {field && (
            <TextField
              label={field[1]}
              type={isNumber ? 'number' : 'text'}
              required
              maxLength={256}
              value={value}
              onChange={setValue}
            />
          )}
        </FormDialog>
      )}
    </DialogButton>
  );
};
