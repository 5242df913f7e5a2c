import { useState } from 'preact/hooks';
import { Cancelled } from '../api/api-error.ts';
import { gateway, type Schema, Button, ErrorNote } from '../ui.ts';
import { useAction } from '../use-action.ts';
import { Icon } from './icon.tsx';
import { Section } from './page.tsx';

type RoleTest = Schema<'RoleTest'>;

const EXAMPLE_USER = `{
  "userName": "ada@example.com",
  "displayName": "Ada Lovelace"
}`;

/** Throws unless the text is a JSON object. */
const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    throw new SyntaxError('The text is not a JSON object.');
  } catch (problem) {
    throw new Cancelled(`Enter a SCIM user as a JSON object. ${String(problem)}`);
  }
};

const TestResult = ({ of }: { readonly of: RoleTest }) => (
  <div class="explanation" aria-live="polite">
    <p class="explanation-question">Resulting role</p>
    <p class="explanation-answer">
      {of.role}
      {of.matches.every(({ applies }) => !applies) && (
        <span class="quiet">the default role, because no mapping applies</span>
      )}
    </p>
    {of.matches.length > 0 && (
      <>
        <h3>Matching mappings</h3>
        <ul class="facts">
          {of.matches.map(({ id, group_display_name: group, role, priority, applies, reason }) => (
            <li key={id}>
              <span class={applies ? 'mark mark-good' : 'mark'}>
                <Icon name={applies ? 'check' : 'minus'} />
              </span>
              <div>
                <strong>{group}</strong> gives {role} with priority {priority}
                <small>{reason}</small>
              </div>
            </li>
          ))}
        </ul>
      </>
    )}
    <h3>Rooms</h3>
    {of.rooms.length === 0 ? (
      <p class="quiet">None of these groups is mapped to a room.</p>
    ) : (
      <p>{of.rooms.map(({ name }) => name).join(', ')}</p>
    )}
    <h3>Groups</h3>
    <ul class="facts">
      {of.groups.map(({ display_name: name, exists, room }) => (
        <li key={name}>
          <span class={exists ? 'mark mark-good' : 'mark mark-bad'}>
            <Icon name={exists ? 'check' : 'close'} />
          </span>
          <div>
            {name}
            <small>
              {exists
                ? (room?.name ?? 'Not mapped to a room')
                : 'Not pushed by the identity provider yet'}
            </small>
          </div>
        </li>
      ))}
    </ul>
  </div>
);

/** Shows the role and the rooms that a user in some groups would get. */
export const RoleTestBench = ({ slug }: { readonly slug: string }) => {
  const [user, setUser] = useState('');
  const [groups, setGroups] = useState('');
  const [result, setResult] = useState<RoleTest>();
  const { error, run } = useAction();
  const test = () =>
    run(async () => {
      const parsed = user.trim() === '' ? undefined : objectIn(user);
      const names = groups
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      setResult(
        await gateway.post('/admin/v1/tenants/{slug}/role-mappings/test', {
          path: { slug },
          body: { ...(parsed !== undefined && { user: parsed }), groups: names },
        }),
      );
    });
  return (
    <Section
      title="Test role mappings"
      lead="Preview the role and the rooms of a user in these groups. Nothing is changed."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void test();
        }}
      >
        <div class="grid">
          <label>
            Groups (one per line)
            <textarea
              required
              placeholder={'Dispatch\nShift leads'}
              value={groups}
              onInput={(event) => setGroups(event.currentTarget.value)}
            />
          </label>
          <label>
            SCIM user as JSON (optional)
            <textarea
              spellcheck={false}
              placeholder={EXAMPLE_USER}
              value={user}
              onInput={(event) => setUser(event.currentTarget.value)}
            />
          </label>
        </div>
        {error && <ErrorNote error={error} />}
        <Button label="Test" type="submit" class="secondary" />
      </form>
      {result && <TestResult of={result} />}
    </Section>
  );
};
