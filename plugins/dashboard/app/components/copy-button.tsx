import { showToast } from '../toasts.ts';
import { Icon } from './icon.tsx';

/** Copies a text. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <button
    type="button"
    class="icon-button"
    aria-label={`Copy ${what}`}
    title={`Copy ${what}`}
    onClick={() => {
      navigator.clipboard.writeText(text).then(
        () => showToast(`Copied ${what}`),
        () => showToast(`Could not copy ${what}. Select the text and copy it manually.`, 'bad'),
      );
    }}
  >
    <Icon name="copy" />
  </button>
);

/** A value to copy, such as an id or an address. */
export const Copyable = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </span>
);

/** The id of an object in another system. */
export const ExternalId = ({ of }: { readonly of: string | null }) =>
  of === null ? <span class="quiet">none</span> : <Copyable text={of} what="the external ID" />;
