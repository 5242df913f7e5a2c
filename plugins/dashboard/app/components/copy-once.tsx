import { useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { Note } from './note.tsx';

/** A secret that is shown once: it can be dismissed only by saying that it was stored. */
export const CopyOnce = ({
  secret,
  what,
  onDone,
}: {
  readonly secret: string;
  /** "the API key" */
  readonly what: string;
  readonly onDone: () => void;
}) => {
  const [isStored, setStored] = useState(false);
  return (
    <div class="copy-once">
      <Note tone="warning">
        <p>
          <strong>{`Copy ${what} now.`}</strong> You will not be able to see it again.
        </p>
      </Note>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </div>
      <label>
        <input
          type="checkbox"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        {`I have stored ${what}`}
      </label>
      <footer>
        <button type="button" disabled={!isStored} onClick={onDone}>
          Done
        </button>
      </footer>
    </div>
  );
};
