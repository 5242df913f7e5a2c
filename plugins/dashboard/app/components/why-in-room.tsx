import type { ComponentChildren } from 'preact';
import { useData } from '../api/use-data.ts';
import { AddToRoom } from './add-to-room.tsx';
import { Async } from './async.tsx';
import { Explanation } from './explanation.tsx';
import { Section } from './page.tsx';

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
