import { useCallback } from 'preact/hooks';
import { useParams } from '../address.ts';
import { useData, Note } from '../ui.ts';
import { findRooms, findUsers, isId } from '../find-anything.ts';
import { Explanation } from './explanation.tsx';
import { Lookup } from './lookup.tsx';
import { Async, Section } from './page.tsx';

const CHOICES = {
  user: { label: 'User', placeholder: 'Search by name or email', find: findUsers },
  room: { label: 'Room', placeholder: 'Search by room name', find: findRooms },
} as const;

/**
 * On the page of a room or of a user: why a user, or a room, that is chosen here is in it, or is not,
 * and buttons that change it.
 */
export const WhyInRoom = ({
  slug,
  page,
  id,
  onChanged,
}: {
  readonly slug: string;
  readonly page: 'user' | 'room';
  readonly id: string;
  readonly onChanged: () => void;
}) => {
  const other = page === 'room' ? 'user' : 'room';
  const [params, change] = useParams(other);
  const chosen = params[other];
  const { label, placeholder, find: findOf } = CHOICES[other];
  const find = useCallback(findOf(slug), [slug]);
  const known = isId(chosen) ? { path: { slug, id: chosen } } : null;
  const user = useData('/admin/v1/tenants/{slug}/users/{id}', other === 'user' ? known : null);
  const room = useData('/admin/v1/tenants/{slug}/rooms/{id}', other === 'room' ? known : null);
  const isChosen = chosen !== '';
  const query = page === 'room' ? { user: chosen, room: id } : { user: id, room: chosen };
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    isChosen ? { path: { slug }, query } : null,
  );
  return (
    <Section
      title="Check membership"
      lead={`Choose a ${other} to see why the user is or is not in the room.`}
    >
      <Lookup
        label={label}
        placeholder={placeholder}
        chosen={user.data?.display_name ?? room.data?.name ?? chosen}
        find={find}
        nothing={`No ${other} matches.`}
        onTake={(taken) => change({ [other]: taken.id })}
      />
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
