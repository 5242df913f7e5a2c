import type { ComponentChildren } from 'preact';
import { gateway } from '../api/gateway.ts';
import { useData } from '../api/use-data.ts';
import { hasRole } from '../session.ts';
import { ConfirmButton } from './dialog.tsx';
import { Explanation } from './explanation.tsx';
import { Async, Section } from './page.tsx';
import { showToast } from './toasts.tsx';

/** Adds a user to a room, after asking. */
const AddToRoom = ({
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
  if (!hasRole('operator')) return null;
  return (
    <ConfirmButton
      icon="plus"
      label={`Add ${user.name} to ${room.name}`}
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
    >
      <p>
        The user hears the room at once. If a group of the identity provider fills it, add the user
        there as well: its next synchronisation can remove them again.
      </p>
    </ConfirmButton>
  );
};

interface Named {
  readonly id: string;
  /** Undefined: it is not read yet. */
  readonly name: string | undefined;
}

/** Why a user is in a room, or is not, and a button that adds them. */
export const WhyInRoom = ({
  slug,
  title,
  lead,
  user,
  room,
  onAdded,
  children,
}: {
  readonly slug: string;
  readonly title: string;
  readonly lead: string;
  /** An empty id: none is chosen yet. */
  readonly user: Named;
  readonly room: Named;
  readonly onAdded: () => void;
  /** The field that chooses. */
  readonly children: ComponentChildren;
}) => {
  const isChosen = user.id !== '' && room.id !== '';
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    isChosen ? { path: { slug }, query: { user: user.id, room: room.id } } : null,
  );
  return (
    <Section title={title} lead={lead}>
      {children}
      {isChosen && (
        <Async of={explained} lines={4}>
          {(explanation) => (
            <Explanation
              slug={slug}
              of={explanation}
              action={
                explanation.answer.member === false &&
                user.name !== undefined &&
                room.name !== undefined && (
                  <AddToRoom
                    slug={slug}
                    user={{ id: user.id, name: user.name }}
                    room={{ id: room.id, name: room.name }}
                    onAdded={() => {
                      explained.reload();
                      onAdded();
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
