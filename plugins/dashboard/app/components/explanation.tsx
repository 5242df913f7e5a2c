import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { Icon, type IconName } from './icon.tsx';
import { Time } from './time.tsx';

const ICONS: Readonly<Record<Schema<'ExplainedFact'>['kind'], IconName>> = {
  user: 'user',
  room: 'room',
  group: 'group',
  no_group: 'group',
  membership: 'check',
  role_mapping: 'shield',
  no_role_mapping: 'shield',
  priority: 'list',
  default_role: 'shield',
  job: 'clock',
  command: 'activity',
};

/** The page of what the fact is about; undefined: it has none. */
const addressOf = (slug: string, fact: Schema<'ExplainedFact'>): string | undefined => {
  const base = `/t/${slug}`;
  if (fact.command_id !== undefined) return `${base}/log/${fact.command_id}`;
  if (fact.role_mapping_id !== undefined) return `${base}/admin/security/sso/directory-roles`;
  if (fact.group_id !== undefined) return `${base}/groups/${fact.group_id}`;
  if (fact.room_id !== undefined) return `${base}/rooms/${fact.room_id}`;
  return fact.user_id === undefined ? undefined : `${base}/users/${fact.user_id}`;
};

/** What is shown instead of a sentence that names a call; null: a button does it. */
const INSTEAD: Partial<Record<Schema<'ExplainedRemedy'>['action'], string | null>> = {
  add_member: null,
  remove_member: null,
  update_member: null,
  map_room: 'Mapping a SCIM group to the room, and adding the user to that group.',
};

/** Why it is so: the answer, the facts that lead to it, and what would change it. */
export const Explanation = ({
  slug,
  of: { question, answer, facts, would_change: all },
  action,
}: {
  readonly slug: string;
  readonly of: Schema<'Explanation'>;
  /** A button that does what an API call of the list would. */
  readonly action?: ComponentChildren;
}) => {
  const [here] = useLocation();
  const changes = all.flatMap(({ text, remedy }) =>
    remedy && remedy.action in INSTEAD ? (INSTEAD[remedy.action] ?? []) : text,
  );
  return (
    <section class="explanation" aria-label={question} aria-live="polite">
      <p class="explanation-question">{question}</p>
      <p class="explanation-answer">
        {answer.member !== undefined && (
          <span class={answer.member ? 'mark mark-good' : 'mark mark-bad'}>
            <Icon name={answer.member ? 'check' : 'close'} />
          </span>
        )}
        {answer.text}
      </p>
      {facts.length > 0 && (
        <>
          <h3>Facts</h3>
          <ol class="facts">
            {facts.map((fact) => {
              const address = addressOf(slug, fact);
              // Its time is shown below.
              const text = fact.at === undefined ? fact.text : fact.text.replace(/^\S+Z: /, '');
              return (
                <li key={`${fact.kind} ${fact.text}`}>
                  <span class="fact-icon">
                    <Icon name={ICONS[fact.kind]} />
                  </span>
                  <div>
                    {address === undefined || address === here ? (
                      text
                    ) : (
                      <Link href={address}>{text}</Link>
                    )}
                    {fact.at !== undefined && (
                      <small>
                        <Time at={fact.at} form="absolute" />
                      </small>
                    )}
                  </div>
                </li>
              );
            })}
          </ol>
        </>
      )}
      {(changes.length > 0 || Boolean(action)) && (
        <>
          <h3>What would change this</h3>
          <ul class="remedies">
            {changes.map((text) => (
              <li key={text}>
                <Icon name="wand" />
                <span>{text}</span>
              </li>
            ))}
          </ul>
          {Boolean(action) && <div class="explanation-action">{action}</div>}
        </>
      )}
    </section>
  );
};
