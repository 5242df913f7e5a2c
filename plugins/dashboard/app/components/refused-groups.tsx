import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { nameKey } from 'rollgate/client';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { counted } from '../counted.ts';
import { Note } from './note.tsx';
import { RemedyButton } from './remedy.tsx';
import { Time } from './time.tsx';

const DAYS_MS = 7 * 86_400_000;
/** Each of them is explained. */
const MAX_SHOWN = 3;
const MAX_READ = 100;

const WAYS: ReadonlySet<string> = new Set(['create_room', 'map_room']);

interface RefusedGroup {
  readonly command: Schema<'Command'>;
  readonly changes: Schema<'Explanation'>['would_change'];
}

/** Groups that were refused because they have no room, and still have none: the newest refusal of each. */
const findRefused = async (slug: string): Promise<readonly RefusedGroup[]> => {
  const since = new Date(Date.now() - DAYS_MS).toISOString();
  const { commands } = await gateway.get('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { type: 'group.create', outcome: 'refused', since, limit: MAX_READ },
  });
  const byName = new Map<string, Schema<'Command'>>();
  for (const command of commands) {
    const name = command.error === 'ROOM_NOT_FOUND' ? command.subject?.name : undefined;
    if (name != null && !byName.has(nameKey(name))) byName.set(nameKey(name), command);
  }
  const found: RefusedGroup[] = [];
  for (const command of byName.values()) {
    if (found.length === MAX_SHOWN) break;
    const { answer, would_change: changes } = await gateway.get(
      '/admin/v1/tenants/{slug}/explain',
      { path: { slug }, query: { room: command.subject?.name ?? '' } },
    );
    if (answer.not_member_because === 'no_room') found.push({ command, changes });
  }
  return found;
};

/** Pushes of groups that were refused lately, with what would let them in; nothing if there are none. */
const RefusedGroups = ({
  slug,
  onChanged,
}: {
  readonly slug: string;
  readonly onChanged: () => void;
}) => {
  const [refused, setRefused] = useState<readonly RefusedGroup[]>([]);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    // The page is complete without them.
    findRefused(slug).then(
      (found) => isCurrent && setRefused(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [slug, turn]);
  if (refused.length === 0) return null;
  return (
    <Note tone="warning">
      <p>
        <strong>{`${counted(refused.length, 'group was', 'groups were')} refused in the last 7 days: no room is mapped to ${refused.length === 1 ? 'it' : 'them'}.`}</strong>{' '}
        <Link href={`/t/${slug}/log?type=group.create&outcome=refused`}>View all</Link>
      </p>
      <ul>
        {refused.map(({ command, changes }) => (
          <li key={command.id}>
            <Link href={`/t/${slug}/log/${command.id}`}>{command.subject?.name}</Link>{' '}
            <span class="quiet">
              <Time at={command.at} />
            </span>
            <div class="explanation-action">
              {changes.map(
                ({ remedy }) =>
                  remedy &&
                  WAYS.has(remedy.action) && (
                    <RemedyButton
                      key={remedy.path}
                      of={remedy}
                      onDone={() => {
                        setTurn((last) => last + 1);
                        onChanged();
                      }}
                    />
                  ),
              )}
            </div>
          </li>
        ))}
      </ul>
    </Note>
  );
};

export default RefusedGroups;
