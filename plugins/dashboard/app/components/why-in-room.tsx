import type { ComponentChildren } from 'preact';
import { useData, Note } from '../ui.ts';
import { Explanation } from './explanation.tsx';
import { Async, Section } from './page.tsx';

/** Why a user is in a room, or is not, and buttons that change it. */
export const WhyInRoom = ({
  slug,
  title,
  lead,
  user,
  room,
  onChanged,
  children,
}: {
  readonly slug: string;
  readonly title: string;
  readonly lead: ComponentChildren;
  /** Ids or names; empty: none is chosen yet. */
  readonly user: string;
  readonly room: string;
  readonly onChanged: () => void;
  /** The field that chooses. */
  readonly children: ComponentChildren;
}) => {
  const isChosen = user !== '' && room !== '';
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    isChosen ? { path: { slug }, query: { user, room } } : null,
  );
  return (
    <Section title={title} lead={lead}>
      {children}
      {isChosen && explained.error?.code === 'USER_NOT_FOUND' ? (
        <Note text={explained.error.message} />
      ) : isChosen ? (
        <Async of={explained} lines={4}>
          {(explanation) => (
            <Explanation
              slug={slug}
              of={explanation}
              onChanged={() => {
                explained.reload();
                onChanged();
              }}
            />
          )}
        </Async>
      ) : null}
    </Section>
  );
};
