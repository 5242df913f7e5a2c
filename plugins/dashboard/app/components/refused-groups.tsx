import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { nameKey } from 'rollgate/client';
import { gateway, type Schema, counted, Note, Time } from '../ui.ts';
import { RemedyButton } from './remedy.tsx';

const DAYS_MS = 7 * 86_400_000;
/** Each of them is explained. */
const MAX_SHOWN = 3;
const MAX_READ = 100;

const WAYS: ReadonlySet<string> = new Set(['create_room', 'map_room']);

interface RefusedGroup {
  readonly command: Schema<'Command'>;
  readonly changes: Schema<'Explanation'>['would_change'];
}

interface Refused {
  readonly count: number;
  readonly listed: readonly RefusedGroup[];
}

/** Groups that were refused because they have no room, and still have none: how many, and the first of them. */
const findRefused = async (slug: string): Promise<Refused> => {
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
  const groups = [...byName.values()].map(({ subject }) => subject?.name ?? '');
  if (groups.length === 0) return NONE;
  const tested = await gateway.post('/admin/v1/tenants/{slug}/role-mappings/test', {
    path: { slug },
    body: { groups },
  });
  const names = tested.groups
    .filter(({ exists, problem }) => !exists && problem !== null)
    .map(({ display_name }) => display_name);
  const shown = names.slice(0, MAX_SHOWN).flatMap((name) => byName.get(nameKey(name)) ?? []);
  const listed: readonly RefusedGroup[] = await Promise.all(
    shown.map(async (command) => {
      const query = { room: command.subject?.name ?? '' };
      const explained = await gateway.get('/admin/v1/tenants/{slug}/explain', {
        path: { slug },
        query,
      });
      return { command, changes: explained.would_change };
    }),
  );
  return { count: names.length, listed };
};

const NONE: Refused = { count: 0, listed: [] };

/** Pushes of groups that were refused lately, with what would let them in; nothing if there are none. */
const RefusedGroups = ({
  slug,
  onChanged,
}: {
  readonly slug: string;
  readonly onChanged: () => void;
}) => {
  const [{ count, listed }, setRefused] = useState(NONE);
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
  if (count === 0) return null;
  return (
    <Note tone="warning">
      <details>
        <summary>
          {`${counted(count, 'group was', 'groups were')} refused in the last 7 days: no room is mapped to ${count === 1 ? 'it' : 'them'}.`}
        </summary>
        <ul>
          {listed.map(({ command, changes }) => (
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
        <Link href={`/t/${slug}/log?type=group.create&outcome=refused`}>View all</Link>
      </details>
    </Note>
  );
};

export default RefusedGroups;
