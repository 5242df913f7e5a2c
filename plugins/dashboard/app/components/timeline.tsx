import { Link } from 'wouter-preact';
import { type Schema, useData, counted, Empty, Time } from '../ui.ts';
import { StateBadge } from './badges.tsx';
import { nameOf, OUTCOME_STATES, sourceTitle } from './commands.tsx';
import { Async, Section } from './page.tsx';
import { CursorPager, useCursor } from './pager.tsx';

type Command = Schema<'Command'>;

/** The user or room of a history. */
interface About {
  readonly kind: 'user' | 'room';
  readonly id: string;
}

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Rooms log whether a member may transmit, null without the member; groups only whether there is one. */
const membershipOf = (value: unknown, isRoom: boolean): string => {
  if (value === null || (value === false && !isRoom)) return 'not a member';
  if (!isRoom) return 'member';
  return value === true ? 'can transmit' : 'listen only';
};

const MEMBERSHIP = /^(?:\w+\[(.*?)\]\.)?members\[(.*?)\](\.tx_permission)?$/;

/** A change of a membership is named after the other side: a user's after the room. */
const Change = ({
  of: { path, before, after },
  command: { subject, affected },
  about,
}: {
  readonly of: Schema<'LoggedChange'>;
  readonly command: Command;
  readonly about: About | undefined;
}) => {
  const membership = MEMBERSHIP.exec(path);
  const [, place = subject?.id, member] = membership ?? [];
  const id = about?.kind === 'user' ? place : member;
  const name = membership && [subject, ...affected].find((each) => each?.id === id)?.name;
  const show = (value: unknown) =>
    membership ? membershipOf(value, membership[3] !== undefined) : textOf(value);
  return (
    <li>
      {name ?? <code class="path">{about ? path.replace(/^.*\]\./, '') : path}</code>}
      {(before !== undefined || after !== undefined) && (
        <>
          {' '}
          <del>{show(before)}</del> <span aria-hidden="true">→</span> <ins>{show(after)}</ins>
        </>
      )}
    </li>
  );
};

/** All changes of its own commands, its part of others. */
const changesOf = ({ subject, changes }: Command, about: About | undefined): Command['changes'] => {
  if (about === undefined || subject?.id === about.id) return changes;
  // The members of a mapped room are those of the group.
  const isOwn = (path: string) =>
    path.includes(`[${about.id}]`) ||
    (about.kind === 'room' && subject?.kind === 'group' && path.startsWith('members['));
  return changes.filter(({ path }) => isOwn(path));
};

/** The changes that a line has room for. */
const SHOWN = 3;

/** Commands as a history, newest first. */
export const Timeline = ({
  slug,
  commands,
  about,
}: {
  readonly slug: string;
  readonly commands: readonly Command[];
  /** Absent: all changes of each command are shown. */
  readonly about?: About;
}) => (
  <ol class="timeline">
    {commands.map((command) => {
      const changes = changesOf(command, about);
      return (
        <li key={command.id} class={`timeline-${OUTCOME_STATES[command.outcome][0]}`}>
          <div class="cluster">
            <Link href={`/t/${slug}/log/${command.id}`} class="timeline-title">
              {command.title} {command.subject && nameOf(command.subject)}
            </Link>
            {command.outcome !== 'applied' && <StateBadge of={OUTCOME_STATES[command.outcome]} />}
          </div>
          {command.message !== null && <p class="timeline-message">{command.message}</p>}
          <ul class="change-list">
            {changes.slice(0, SHOWN).map((change) => (
              <Change key={change.path} of={change} command={command} about={about} />
            ))}
            {changes.length > SHOWN && (
              <li class="quiet">{`and ${changes.length - SHOWN} more`}</li>
            )}
          </ul>
          <p class="timeline-meta">
            <Time at={command.at} /> by {command.actor.name ?? command.actor.kind} via{' '}
            {sourceTitle(command.source)}
          </p>
        </li>
      );
    })}
  </ol>
);

/** The commands that changed a user or a room, by pages. */
export const History = ({
  slug,
  about,
  lead,
}: {
  readonly slug: string;
  readonly about: About;
  readonly lead: string;
}) => {
  const { cursor, paging } = useCursor();
  const commands = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { affected: about.id, limit: 20, cursor },
  });
  return (
    <Section title="Timeline" lead={lead}>
      <Async of={commands} lines={6}>
        {({ commands: list, next }) => (
          <>
            {list.length === 0 ? (
              <Empty
                icon="clock"
                title={next === null ? 'No changes recorded' : 'No changes on this page'}
                text={
                  next === null
                    ? 'The provisioning log keeps entries for a limited time.'
                    : 'There may be older entries. Choose Older to continue.'
                }
              />
            ) : (
              <Timeline slug={slug} commands={list} about={about} />
            )}
            {(next !== null || !paging.isFirst) && (
              <CursorPager
                of="the history"
                {...paging}
                count={counted(list.length, 'entry', 'entries')}
                next={next}
              />
            )}
          </>
        )}
      </Async>
    </Section>
  );
};
