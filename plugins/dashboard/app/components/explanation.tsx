import { Link, useLocation } from 'wouter-preact';
import { type Schema, Sentence, Time } from '../ui.ts';
import { Icon, type IconName } from './icon.tsx';
import { RemedyButton } from './remedy.tsx';

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
  refused: 'cross',
  similar: 'search',
  command: 'activity',
  plugin: 'plug',
};

/** The page of what the fact is about; undefined: it has none. */
const addressOf = (slug: string, fact: Schema<'ExplainedFact'>): string | undefined => {
  const base = `/t/${slug}`;
  if (fact.page !== undefined) return `${base}/${fact.page}`;
  if (fact.command_id !== undefined) return `${base}/log/${fact.command_id}`;
  if (fact.role_mapping_id !== undefined) return `${base}/admin/security/sso/directory-roles`;
  if (fact.group_id !== undefined) return `${base}/groups/${fact.group_id}`;
  if (fact.room_id !== undefined) return `${base}/rooms/${fact.room_id}`;
  return fact.user_id === undefined ? undefined : `${base}/users/${fact.user_id}`;
};

/** Why it is so: the answer, the facts that lead to it, and what would change it. */
export const Explanation = ({
  slug,
  of: { question, answer, facts, would_change: changes },
  isKnown = false,
  onChanged,
}: {
  readonly slug: string;
  readonly of: Schema<'Explanation'>;
  /** The page says the answer already: only the facts and the remedies are shown. */
  readonly isKnown?: boolean;
  /** After a change that a button of it made. */
  readonly onChanged: () => void;
}) => {
  const [here] = useLocation();
  return (
    <section class="explanation" aria-label={question} aria-live="polite">
      {!isKnown && (
        <>
          <p class="explanation-question">
            <Sentence text={question} />
          </p>
          <p class="explanation-answer">
            {answer.can_use !== undefined && (
              <span class={answer.can_use ? 'mark mark-good' : 'mark mark-bad'}>
                <Icon name={answer.can_use ? 'check' : 'close'} />
              </span>
            )}
            <span>
              <Sentence text={answer.text} />{' '}
              {answer.command_id !== undefined && (
                <Link href={`/t/${slug}/log/${answer.command_id}`}>Log entry</Link>
              )}
            </span>
          </p>
        </>
      )}
      {facts.length > 0 && (
        <>
          <h3>Facts</h3>
          <ol class="facts">
            {facts.map((fact) => {
              const address = addressOf(slug, fact);
              const text = <Sentence text={fact.text} />;
              return (
                <li key={`${fact.text} ${fact.at ?? ''}`}>
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
      {changes.length > 0 && (
        <>
          <h3>What would change this</h3>
          <ul class="remedies">
            {changes.map(({ text, remedy }) => (
              <li key={text}>
                <Icon name="wand" />
                <div>
                  <Sentence text={text} />
                  {remedy && (
                    <div class="explanation-action">
                      <RemedyButton key={remedy.path} of={remedy} onDone={onChanged} />
                    </div>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};
