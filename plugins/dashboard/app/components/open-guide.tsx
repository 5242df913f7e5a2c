import { session, Button } from '../ui.ts';
import { openSetupLink, pendingSetupLink } from '../sign-in.ts';
import { useAction } from '../use-action.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** Asks an operator who has opened a setup link, which is meant for someone else. */
const OpenGuide = ({ link }: { readonly link: string }) => {
  const { isBusy, run } = useAction();
  return (
    <SignInFrame title="Open the customer’s guide?">
      <p>
        You are signed in as {session.value?.operator.name}. This setup link is for the
        administrator of a customer. You can open their guide in this browser and stay signed in.
      </p>
      <Button
        label="Open the guide"
        class="block"
        isBusy={isBusy}
        onClick={() => void run(() => openSetupLink(link))}
      />
      <Button
        label="Stay in the dashboard"
        class="secondary block"
        disabled={isBusy}
        onClick={() => {
          pendingSetupLink.value = undefined;
        }}
      />
    </SignInFrame>
  );
};

export default OpenGuide;
