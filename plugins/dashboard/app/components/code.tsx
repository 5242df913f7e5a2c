import { CopyButton } from './copy-button.tsx';

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
