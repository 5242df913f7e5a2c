import { Link } from 'wouter-preact';
import { type Schema, useData, Empty, Note, Time } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import { LogLink, nameOf, OUTCOME_STATES, sourceTitle } from '../components/commands.tsx';
import { Code, Copyable } from '../components/copy.tsx';
import { Explanation } from '../components/explanation.tsx';
import { DiffView } from '../components/diff-view.tsx';
import { RefusedGroupWays } from '../components/refused-groups.tsx';
import { Async, Details, Page, PendingPage, Section } from '../components/page.tsx';
import { SkippedMembers } from '../components/skipped-members.tsx';
import { pageOf } from '../find-anything.ts';
import type { PageProps } from '../page-route.ts';

const ObjectLink = ({
  slug,
  of,
}: {
  readonly slug: string;
  readonly of: Schema<'LoggedObject'>;
}) => {
  const href = of.id === null ? undefined : pageOf(slug, of.kind, of.id);
  return href === undefined ? <>{nameOf(of)}</> : <Link href={href}>{nameOf(of)}</Link>;
};

/** The most events of one command that are listed. */
const SHOWN_EVENTS = 50;

const Events = ({
  slug,
  command,
}: {
  readonly slug: string;
  readonly command: Schema<'Command'>;
}) => {
  const { first_seq: first = 0, last_seq: last = 0 } = command.events ?? {};
  const events = useData(
    '/admin/v1/tenants/{slug}/events',
    command.events === null
      ? null
      : {
          path: { slug },
          query: { after: first - 1, limit: Math.min(last - first + 1, SHOWN_EVENTS) },
        },
  );
  if (command.events === null)
    return (
      <Empty
        icon="bolt"
        title="No events"
        text="This command created none, and nothing was sent to subscribers."
      />
    );
  return (
    <Async of={events} lines={3}>
      {({ events: list }) => (
        <>
          {list.map(({ id, event, seq, data }) => (
            <details key={id} class="event">
              <summary>
                <code>{event}</code>
                <span class="quiet">{`#${seq}`}</span>
              </summary>
              <Code of={data} what={`data of event ${seq}`} />
            </details>
          ))}
          {last - first + 1 > SHOWN_EVENTS && (
            <p class="quiet">{`Showing the first ${SHOWN_EVENTS} of ${last - first + 1} events.`}</p>
          )}
        </>
      )}
    </Async>
  );
};

/** What to do about a refused user or group, as of now. */
const Remedies = ({
  slug,
  of: command,
  onChanged,
}: {
  readonly slug: string;
  readonly of: Schema<'Command'>;
  readonly onChanged: () => void;
}) => {
  const { outcome, type, subject, error } = command;
  const name = outcome === 'refused' ? (subject?.name ?? '') : '';
  const isWithoutRoom = type === 'group.create' && error === 'ROOM_NOT_FOUND';
  const query =
    type === 'user.create'
      ? { user: name, role: 'true' as const }
      : isWithoutRoom
        ? { room: name }
        : undefined;
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    name !== '' && query ? { path: { slug }, query } : null,
  );
  // A user who exists by now has a role.
  if (!explained.data || typeof explained.data.answer.role === 'string') return null;
  const changed = () => {
    explained.reload();
    onChanged();
  };
  const { answer } = explained.data;
  return (
    <Section title="What to do" lead="As of now.">
      <Explanation
        slug={slug}
        of={explained.data}
        isKnown={answer.command_id === command.id}
        onChanged={changed}
      />
      {isWithoutRoom && answer.not_member_because === 'no_room' && (
        <div class="explanation-action">
          <RefusedGroupWays slug={slug} group={name} onDone={changed} />
        </div>
      )}
    </Section>
  );
};

const LogEntry = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/commands/{commandId}', {
    path: { slug, commandId: id },
  });
  const up = { href: `/t/${slug}/log`, title: 'Provisioning log' };
  if (!read.data) return <PendingPage of={read} kind="Log entry" up={up} />;
  const command = read.data;
  const { actor, outcome, subject, request_id: requestId } = command;
  const actorId = actor.id ?? actor.name;
  return (
    <Page
      title={`${command.title} ${subject ? nameOf(subject) : ''}`}
      up={up}
      lead={
        <>
          <StateBadge of={OUTCOME_STATES[outcome]} />
          <Time at={command.at} form="absolute" />
        </>
      }
    >
      {command.message !== null && (
        <Note tone={outcome === 'failed' ? 'bad' : 'warning'} title={command.message}>
          <p>
            <code>{command.error}</code>
          </p>
        </Note>
      )}
      <SkippedMembers of={command} />
      <Remedies slug={slug} of={command} onChanged={read.reload} />
      <div class="columns">
        <div>
          <Section title="Changes" flush>
            {command.changes.length === 0 ? (
              <Empty icon="list" title="No changes" />
            ) : (
              <DiffView
                changes={command.changes}
                count={command.change_count}
                objects={[subject, ...command.affected]}
              />
            )}
          </Section>
          <Section title="Events" lead="Sent to webhooks and the event feed.">
            <Events slug={slug} command={command} />
          </Section>
        </div>
        <div>
          <Details
            of={[
              [
                'Actor',
                <>
                  {actor.name ?? actor.kind}{' '}
                  <LogLink slug={slug} of={{ actor: actorId ?? '' }} text="All commands" />
                </>,
              ],
              ['Source', sourceTitle(command.source)],
              ['Type', <code key="t">{command.type}</code>],
              ['Subject', subject && <ObjectLink key="s" slug={slug} of={subject} />],
              ['Deliveries', command.deliveries],
              ['Duration', `${Math.round(command.duration_ms)} ms`],
              [
                'Request ID',
                <>
                  <Copyable text={requestId} what="the request ID" />
                  <LogLink slug={slug} of={{ request_id: requestId }} text="All of this request" />
                </>,
              ],
              ['ID', <Copyable key="i" text={command.id} what="the command ID" />],
            ]}
          />
          {command.affected.length > 0 && (
            <Section title="Affected objects" flush>
              <ul class="rows">
                {command.affected.map((object) => (
                  <li key={`${object.kind} ${object.id ?? ''}`}>
                    <ObjectLink slug={slug} of={object} />
                    <span class="quiet">{object.kind}</span>
                  </li>
                ))}
                {command.affected_count > command.affected.length && (
                  <li class="quiet">
                    {`and ${command.affected_count - command.affected.length} more`}
                  </li>
                )}
              </ul>
            </Section>
          )}
        </div>
      </div>
    </Page>
  );
};

export default LogEntry;
