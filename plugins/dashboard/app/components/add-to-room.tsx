import { useState } from 'preact/hooks';
import { gateway } from '../api/gateway.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Icon } from './icon.tsx';

/** Adds a user to a room, after asking. */
export const AddToRoom = ({
  slug,
  user,
  room,
  onAdded,
}: {
  readonly slug: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly room: { readonly id: string; readonly name: string };
  readonly onAdded: () => void;
}) => {
  const [isAsking, setAsking] = useState(false);
  if (!hasRole('operator')) return null;
  return (
    <>
      <button type="button" class="secondary" onClick={() => setAsking(true)}>
        <Icon name="plus" />
        {`Add ${user.name} to ${room.name}`}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Add ${user.name} to ${room.name}?`}
          action="Add 1 member"
          isDestructive={false}
          onConfirm={async () => {
            await gateway.post('/admin/v1/tenants/{slug}/rooms/{id}/members', {
              path: { slug, id: room.id },
              body: { user_id: user.id },
            });
            showToast(`Added ${user.name} to ${room.name}`);
            onAdded();
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            The user hears the room at once. If a group of the identity provider fills it, add the
            user there as well: its next synchronisation can remove them again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
};
