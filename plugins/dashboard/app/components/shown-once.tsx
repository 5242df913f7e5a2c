import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../use-action.ts';
import { Button, ErrorNote, Note, Time } from '../ui.ts';
import { Copyable, CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { CheckField } from './fields.tsx';

interface OnlyCopy {
  /** Of the dialog. */
  readonly title: string;
  readonly secret: string;
  /** "the API key" */
  readonly what: string;
  /** Above it: where it goes. */
  readonly about: ComponentChildren;
  readonly onStored?: () => void;
}

const onlyCopy = signal<OnlyCopy | null>(null);

/**
 * Shows the only copy of a secret. Not in the dialog that asked for it, which the browser's back
 * button may have closed before the answer came.
 */
export const showOnce = (copy: OnlyCopy): void => {
  onlyCopy.value = copy;
};

const CopyOnce = ({ title, secret, what, about, onStored }: OnlyCopy) => {
  const [isStored, setStored] = useState(false);
  const done = () => {
    onlyCopy.value = null;
    onStored?.();
  };
  return (
    <Dialog mustAnswer title={title} onClose={done}>
      {about}
      <Note tone="warning">
        <p>
          <strong>{`Copy ${what} now.`}</strong> You will not be able to see it again.
        </p>
      </Note>
      <div class="secret row">
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </div>
      <CheckField label={`I have stored ${what}`} value={isStored} onChange={setStored} />
      <footer>
        <Button label="Done" disabled={!isStored} onClick={done} />
      </footer>
    </Dialog>
  );
};

/** The secret that was created last, until the operator says that it was stored. */
export const ShownOnce = () => onlyCopy.value && <CopyOnce {...onlyCopy.value} />;

interface CreatedLink {
  readonly url: string;
  readonly expires_at: string;
}

/** Creates a link that works for a while, and shows it once. */
export const LinkDialog = ({
  title,
  what,
  sending,
  after,
  children,
  create,
  onClose,
}: {
  readonly title: string;
  /** "the setup link" */
  readonly what: string;
  /** How to pass it on. */
  readonly sending: string;
  /** Below it, behind its end. */
  readonly after?: string;
  /** Before it is created. */
  readonly children: ComponentChildren;
  readonly create: () => Promise<CreatedLink>;
  readonly onClose: () => void;
}) => {
  const [link, setLink] = useState<CreatedLink>();
  const { isBusy, error, run } = useAction();
  return (
    <Dialog title={title} mustAnswer={isBusy} onClose={onClose}>
      {link ? (
        <>
          <p>{sending}</p>
          <div class="secret row">
            <Copyable text={link.url} what={what} />
          </div>
          <p class="quiet">
            Valid until <Time at={link.expires_at} form="absolute" />.{after}
          </p>
        </>
      ) : (
        children
      )}
      {error && <ErrorNote error={error} takesFocus />}
      <footer>
        <Button
          label={link ? 'Done' : 'Cancel'}
          class="secondary"
          disabled={isBusy}
          onClick={onClose}
        />
        {!link && (
          <Button
            label="Create link"
            isBusy={isBusy}
            onClick={() => void run(async () => setLink(await create()))}
          />
        )}
      </footer>
    </Dialog>
  );
};
