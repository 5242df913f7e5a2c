import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { nameOf, OUTCOME_TONES, OUTCOME_WORDS, sourceTitle, verbOf } from '../commands.ts';
import { Badge } from './badge.tsx';
import { Time } from './time.tsx';

type Command = Schema<'Command'>;

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The changes that a line has room for. */
const SHOWN = 3;

const Changes = ({ of }: { readonly of: readonly Schema<'LoggedChange'>[] }) => (
  <ul class="change-list">
    {of.slice(0, SHOWN).map(({ path, before, after }) => (
      <li key={path}>
        <code class="path">{path}</code>
        {(before !== undefined || after !== undefined) && (
          <>
            {' '}
            <del>{textOf(before)}</del> <span aria-hidden="true">→</span> <ins>{textOf(after)}</ins>
          </>
        )}
      </li>
    ))}
    {of.length > SHOWN && <li class="quiet">{`and ${of.length - SHOWN} more`}</li>}
  </ul>
);

/** The changes of one object: all of its own commands, its part of others. */
const changesOf = (
  command: Command,
  about: string | undefined,
): readonly Schema<'LoggedChange'>[] => {
  if (about === undefined || command.subject?.id === about) return command.changes;
  const own = command.changes.filter(({ path }) => path.includes(`[${about}]`));
  return own.map((change) => ({
    ...change,
    path: change.path.replace(/^.*\]\.?/, '') || 'member',
  }));
};

/** Commands as a history, newest first. */
export const Timeline = ({
  slug,
  commands,
  about,
}: {
  readonly slug: string;
  readonly commands: readonly Command[];
  /** The object whose changes are shown; absent: all changes of each command. */
  readonly about?: string;
}) => (
  <ol class="timeline">
    {commands.map((command) => (
      <li key={command.id} class={`timeline-${OUTCOME_TONES[command.outcome]}`}>
        <div class="timeline-head">
          <Link href={`/t/${slug}/log/${command.id}`} class="timeline-title">
            {verbOf(command)} {command.subject && nameOf(command.subject)}
          </Link>
          {command.outcome !== 'applied' && (
            <Badge tone={OUTCOME_TONES[command.outcome]}>{OUTCOME_WORDS[command.outcome]}</Badge>
          )}
        </div>
        {command.message !== null && <p class="timeline-message">{command.message}</p>}
        <Changes of={changesOf(command, about)} />
        <p class="timeline-meta">
          <Time at={command.at} /> by {command.actor.name ?? command.actor.kind} via{' '}
          {sourceTitle(command.source)}
        </p>
      </li>
    ))}
  </ol>
);
