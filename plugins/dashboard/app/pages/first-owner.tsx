import { useEffect, useState } from 'preact/hooks';
import { Redirect } from 'wouter-preact';
import { Button, ErrorNote, Note, session } from '../ui.ts';
import { TextField } from '../components/fields.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';
import { signIn } from '../sign-in.ts';
import { useAction } from '../use-action.ts';

/** Redeems a one-time link, whose secret is behind the `#`, so that no server log has it. */
const FirstOwner = () => {
  const [link] = useState(() => window.location.hash.slice(1));
  const [name, setName] = useState('');
  const { isBusy, error, run } = useAction();
  useEffect(() => {
    window.history.replaceState(null, '', window.location.pathname);
  }, []);
  if (session.value) return <Redirect to="/" replace />;
  return (
    <SignInFrame title="Set up your account">
      {link === '' ? (
        <Note tone="warning">
          <p>
            This link is incomplete. Open the full link, or create a new one with{' '}
            <code>rollgate operator link</code>.
          </p>
        </Note>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run(() => signIn({ link, name: name.trim() }));
          }}
        >
          <TextField
            label="Your name"
            hint="Shown with your changes in the provisioning log."
            autoComplete="name"
            required
            maxLength={256}
            value={name}
            onChange={setName}
          />
          {error && <ErrorNote error={error} />}
          <Button label="Continue" type="submit" class="block" isBusy={isBusy} />
        </form>
      )}
    </SignInFrame>
  );
};

export default FirstOwner;
