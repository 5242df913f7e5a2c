import { useEffect, useState } from 'preact/hooks';
import { RollgateError } from 'rollgate/client';
import { Link, Redirect, useLocation, useSearchParams } from 'wouter-preact';
import { type Schema, Button, ErrorNote, Note, OutageNote, hasExpired, session } from '../ui.ts';
import { TextField } from '../components/fields.tsx';
import { Icon } from '../components/icon.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';
import { AdminTokenForm, PasskeyButton, useSignInOptions } from '../components/sign-in-ways.tsx';
import { canUsePasskeys } from '../passkeys.ts';
import { signIn, signInOptions } from '../sign-in.ts';
import { useAction } from '../use-action.ts';

/** Why the identity provider's response was not accepted. */
const REASONS: Readonly<Record<string, string>> = {
  SIGN_IN_EXPIRED: 'The sign-in took too long, or was started in another browser. Try again.',
  PROVIDER_REFUSED: 'The identity provider did not sign you in.',
  PROVIDER_FAILED: 'The identity provider returned an unexpected response. See the gateway log.',
  NO_RECENT_SIGN_IN:
    'The identity provider did not confirm a recent sign-in. Configure it to support max_age and to ' +
    'send auth_time in the ID token. Until then, owners can confirm with the admin token.',
  NO_ROLE: 'Your account has no role. Ask an owner to map one of your groups to a role.',
  SETUP_LINK_ENDED: 'This setup link has expired. Ask for a new one.',
  SETUP_LINK_FAILED: 'This setup link could not be opened. Try again in a minute.',
  OPERATOR_DISABLED: 'Your account is disabled. Ask an owner to enable it.',
};

/** Only pages of the dashboard. */
const safePath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])/.test(text) && !text.startsWith('/sign-in') ? text : '/';

/** Asks before it uses the link, which works once; that of the first start makes an owner of this name. */
const LinkSignIn = (props: {
  readonly link: string;
  readonly isFirst: boolean;
  /** A page of the dashboard. */
  readonly target: string;
  readonly onSignedIn: () => void;
}) => {
  const { link, isFirst } = props;
  const { isBusy, error, run } = useAction();
  const [name, setName] = useState('');
  const submit = async () => {
    await signIn({ link, ...(isFirst && { name: name.trim() }) });
    props.onSignedIn();
  };
  return (
    <SignInFrame title={isFirst ? 'Set up your account' : 'Sign in'}>
      <p>This link signs you in once, in this browser.</p>
      {session.value && (
        <p>
          You are signed in as {session.value.operator.name}. If the link is for another operator,
          it signs you in as them and ends this session.
        </p>
      )}
      <OutageNote />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(submit);
        }}
      >
        {isFirst && (
          <TextField
            label="Your name"
            hint="Shown with your changes in the provisioning log."
            autoComplete="name"
            required
            maxLength={256}
            value={name}
            onChange={setName}
          />
        )}
        {error && <ErrorNote error={error} />}
        <Button label="Continue" type="submit" class="block" isBusy={isBusy} />
      </form>
      {session.value && (
        <Link role="button" class="secondary block" href={props.target}>
          Keep this session
        </Link>
      )}
    </SignInFrame>
  );
};

/** The secret of a link in the address, which it leaves at once; empty: none. */
const useLink = (): readonly [link: string, drop: () => void] => {
  const [link, setLink] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    const take = () => {
      const { hash, pathname } = window.location;
      if (hash.length <= 1) return;
      setLink(hash.slice(1));
      window.history.replaceState(null, '', pathname);
    };
    take();
    // Entered while this page is open, a link loads nothing.
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  return [link, () => setLink('')];
};

const refusalOf = (code: string): RollgateError =>
  new RollgateError({ code, message: REASONS[code] ?? 'You could not be signed in.' });

/** Why the person has to sign in, if it is not obvious. */
const Notices = () => (
  <>
    <OutageNote />
    {hasExpired.value && (
      <Note>
        <p>
          Your session has ended: it has expired, or an owner ended it or disabled your account.
          Sign in again to return to the page that was open. What was not saved there is lost.
        </p>
      </Note>
    )}
    {signInOptions.value?.setup_pending === true && (
      <Note>
        <p>
          This gateway has no operators yet. Open the setup link that it printed at its first start
          to become the owner.
        </p>
      </Note>
    )}
  </>
);

const Ways = ({
  target,
  onBegin,
}: {
  /** A page of the dashboard. */
  readonly target: string;
  readonly onBegin: () => void;
}) => {
  const { isBusy, error, run } = useAction();
  const begin = (prove: () => Promise<Schema<'SignIn'>>) => {
    onBegin();
    void run(async () => signIn(await prove()));
  };
  const oidc = signInOptions.value?.oidc;
  return (
    <>
      {canUsePasskeys() && (
        <PasskeyButton label="Sign in with a passkey" isBusy={isBusy} onProof={begin} />
      )}
      {oidc && (
        <a
          role="button"
          class="block"
          href={`${oidc.start_url}?return_to=${encodeURIComponent(`/dashboard${target}`)}`}
        >
          Continue with {oidc.name}
        </a>
      )}
      {(canUsePasskeys() || oidc) && <p class="divider">or</p>}
      <AdminTokenForm
        hint={
          <>
            In the file <code>admin-token</code> in the data folder. The gateway prints the path at
            startup.
          </>
        }
        onProof={begin}
      >
        {error && <ErrorNote error={error} />}
        <Button label="Sign in" type="submit" class="block" isBusy={isBusy}>
          <Icon name="chevron" />
        </Button>
      </AdminTokenForm>
    </>
  );
};

const SignIn = () => {
  const [location] = useLocation();
  const [params] = useSearchParams();
  const [link, dropLink] = useLink();
  const [hasSubmitted, setSubmitted] = useState(false);
  useSignInOptions();
  const target = safePath(params.get('return_to'));
  const code = params.get('error');
  if (link !== '')
    return (
      <LinkSignIn
        key={link}
        link={link}
        isFirst={location === '/setup'}
        target={target}
        onSignedIn={() => {
          setSubmitted(true);
          dropLink();
        }}
      />
    );
  if (session.value && (code === null || hasSubmitted)) return <Redirect to={target} replace />;
  return (
    <SignInFrame title="Sign in">
      {code !== null && <ErrorNote error={refusalOf(code)} />}
      {session.value ? (
        // It is as it was before a confirmation of the identity that failed.
        <Link role="button" class="block" href={target}>
          Back to the dashboard
        </Link>
      ) : (
        <>
          <Notices />
          <Ways target={target} onBegin={() => setSubmitted(true)} />
        </>
      )}
    </SignInFrame>
  );
};

export default SignIn;
