import { useState } from 'preact/hooks';
import { isSetupSession, session } from '../session.ts';
import { leaveGuide } from '../sign-in.ts';
import { attempt } from '../use-action.ts';
import { Button } from './button.tsx';
import { LazyPage } from './lazy-page.tsx';
import { Note, OutageNote } from './note.tsx';
import { Brand, SignInFrame } from './sign-in-frame.tsx';

/** The page of the administrator of a customer, who has a setup link. */
const Guide = () => {
  const [isLeaving, setLeaving] = useState(false);
  if (!isSetupSession())
    return (
      <SignInFrame title="The guide is closed">
        <Note>
          <p>
            Open your setup link again. If it no longer works, it has expired or was revoked: ask
            for a new one.
          </p>
        </Note>
      </SignInFrame>
    );
  return (
    <main class="setup-only">
      <div class="setup-bar">
        <Brand />
        <Button
          icon="out"
          label="Leave the guide"
          class="secondary small"
          isBusy={isLeaving}
          onClick={() => {
            setLeaving(true);
            void attempt(leaveGuide).then(() => setLeaving(false));
          }}
        />
      </div>
      <OutageNote />
      <LazyPage
        load={() => import('../pages/setup.tsx')}
        slug={session.value?.operator.tenants?.[0] ?? ''}
        id=""
      />
    </main>
  );
};

export default Guide;
