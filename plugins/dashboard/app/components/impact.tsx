import { Link } from 'wouter-preact';
import { type Schema, counted, Note } from '../ui.ts';
import { tenants } from '../tenants.ts';

type DryRun = Schema<'DryRun'>;

const SHOWN = 8;

/** How many users lose a role that they did not have by default, such as `3 lose admin`. */
const lossesOf = (
  { role_change_summary: moves }: DryRun,
  defaultRole: string | undefined,
): readonly string[] => {
  const losses = new Map<string, number>();
  for (const { from, count } of moves)
    if (from !== defaultRole) losses.set(from, (losses.get(from) ?? 0) + count);
  return [...losses].map(([role, count]) => `${count} ${count === 1 ? 'loses' : 'lose'} ${role}`);
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

/** `12 users change role`; undefined: none does. */
export const impactText = ({
  role_change_count: count,
  remaining,
}: Pick<DryRun, 'role_change_count' | 'remaining'>): string | undefined => {
  if (count === 0 && remaining === 0) return undefined;
  const more = remaining > 0 ? `, ${counted(remaining, 'user')} more to check` : '';
  return `${counted(count, 'user')} ${count === 1 ? 'changes role' : 'change role'}${more}`;
};

/** Whose role a change of the mappings would change. */
export const Impact = ({ slug, of }: { readonly slug: string; readonly of: DryRun }) => {
  const text = impactText(of);
  if (text === undefined) return <Note tone="good" title="No user changes role." />;
  const names = namesOf(of);
  const defaultRole = tenants.value?.find((tenant) => tenant.slug === slug)?.default_role;
  return (
    <Note tone="warning" title={[text, ...lossesOf(of, defaultRole)].join(', ')}>
      <ul class="change-list">
        {of.role_change_summary.map(({ from, to, count }) => (
          <li key={JSON.stringify([from, to])} class="split">
            {counted(count, 'user')}
            <span>
              <del>{from}</del> <span aria-hidden="true">→</span>
              <span class="visually-hidden">to</span> <strong>{to}</strong>
            </span>
          </li>
        ))}
      </ul>
      <p class="cluster">
        {of.role_changes.slice(0, SHOWN).map(({ user_id: id }) => (
          <Link key={id} href={`/t/${slug}/users/${id}`}>
            {names.get(id) ?? id.slice(0, 8)}
          </Link>
        ))}
        {of.role_change_count > SHOWN && <span>{`and ${of.role_change_count - SHOWN} more`}</span>}
      </p>
    </Note>
  );
};
