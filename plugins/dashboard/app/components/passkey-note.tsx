import { signal } from '@preact/signals';
import { Link } from 'wouter-preact';
import { canUsePasskeys } from '../passkeys.ts';
import { session, Button, Note } from '../ui.ts';

const isLater = signal(false);

/** The next step for an operator who has signed in with a link, which works once. */
const PasskeyNote = ({ location }: { readonly location: string }) => {
  if (!session.value || session.value.has_passkey || !canUsePasskeys()) return null;
  if (isLater.value || location === '/account') return null;
  return (
    <Note>
      <p>
        Your link worked once. <Link href="/account">Create a passkey</Link> to sign in next time.{' '}
        <Button
          label="Later"
          class="secondary small"
          onClick={() => {
            isLater.value = true;
          }}
        />
      </p>
    </Note>
  );
};

export default PasskeyNote;
