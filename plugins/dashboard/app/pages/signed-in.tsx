import { useEffect } from 'preact/hooks';
import { SignInFrame } from '../components/sign-in-frame.tsx';
import { announceSignIn } from '../step-up.ts';

/** In the window of a sign-in that another page waits for. */
const SignedIn = () => {
  useEffect(() => {
    announceSignIn();
    window.close();
  }, []);
  return (
    <SignInFrame title="Signed in">
      <p>You can close this window. The other one continues.</p>
    </SignInFrame>
  );
};

export default SignedIn;
