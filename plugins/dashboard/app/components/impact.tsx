import { Link } from 'wouter-preact';
import type { DryRun } from '../api/views.ts';
import { Icon } from './icon.tsx';
import { Note } from './note.tsx';

const SHOWN = 8;

interface RoleMove {
  readonly from: string;
  readonly to: string;
  readonly users: number;
}

/** How many users move from one role to another. */
const movesOf = ({
  role_changes: changes,
  role_change_counts: counts,
}: DryRun): readonly RoleMove[] => {
  if (counts) return counts;
  const moves = new Map<string, RoleMove>();
  for (const { from, to } of changes) {
    const key = JSON.stringify([from, to]);
    moves.set(key, { from, to, users: (moves.get(key)?.users ?? 0) + 1 });
  }
  return [...moves.values()];
};

const namesOf = ({ events }: DryRun): ReadonlyMap<string, string> =>
  new Map(
    events.flatMap(({ data }) => {
      const { user } = data as {
        readonly user?: { readonly id: string; readonly display_name?: string };
      };
      return user?.display_name === undefined ? [] : [[user.id, user.display_name] as const];
    }),
  );

const people = (count: number): string => (count === 1 ? '1 user' : `${count} users`);

/** `12 users change their role`, or undefined if none does. */
export const impactText = (preview: DryRun): string | undefined => {
  const count = movesOf(preview).reduce((sum, { users }) => sum + users, 0);
  if (count === 0 && preview.remaining === 0) return undefined;
  const more = preview.remaining > 0 ? `, ${people(preview.remaining)} more to check` : '';
  return `${people(count)} ${count === 1 ? 'changes role' : 'change role'}${more}`;
};

/** Whose role a change of the mappings would change. */
export const Impact = ({ slug, of }: { readonly slug: string; readonly of: DryRun }) => {
  const text = impactText(of);
  if (text === undefined)
    return (
      <Note tone="good">
        <p>
          <strong>Nobody changes role.</strong>
        </p>
      </Note>
    );
  const names = namesOf(of);
  return (
    <div class="impact" aria-live="polite">
      <p class="impact-title">
        <Icon name="alert" />
        {text}
      </p>
      <ul class="impact-moves">
        {movesOf(of).map(({ from, to, users }) => (
          <li key={`${from} ${to}`}>
            <strong>{people(users)}</strong>
            <span>
              <del>{from}</del> <span aria-hidden="true">→</span>
              <span class="visually-hidden">to</span> <ins>{to}</ins>
            </span>
          </li>
        ))}
      </ul>
      <p class="impact-people">
        {of.role_changes.slice(0, SHOWN).map(({ user_id: id }) => (
          <Link key={id} href={`/t/${slug}/users/${id}`}>
            {names.get(id) ?? id.slice(0, 8)}
          </Link>
        ))}
        {of.role_changes.length > SHOWN && (
          <span>{`and ${of.role_changes.length - SHOWN} more`}</span>
        )}
      </p>
    </div>
  );
};
