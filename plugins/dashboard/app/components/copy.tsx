import { Button } from './button.tsx';
import { showToast } from './toasts.tsx';

/** Copies a text. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <Button
    icon="copy"
    class="icon-button"
    aria-label={`Copy ${what}`}
    title={`Copy ${what}`}
    onClick={() => {
      navigator.clipboard.writeText(text).then(
        () => showToast(`Copied ${what}`),
        () => showToast(`Could not copy ${what}. Select the text and copy it manually.`, 'bad'),
      );
    }}
  />
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

/** A value as JSON, or a text, to read and to copy. */
export const Code = ({ of, what }: { readonly of: unknown; readonly what: string }) => {
  const text = typeof of === 'string' ? of : JSON.stringify(of, null, 2);
  return (
    <div class="code">
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} role="region" aria-label={what}>
        <code>{text}</code>
      </pre>
    </div>
  );
};

/** Headers as a text, one per line. */
export const headersText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
