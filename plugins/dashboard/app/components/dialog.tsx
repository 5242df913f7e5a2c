import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside; it returns to
 * where it was.
 */
export const Dialog = ({
  title,
  onClose,
  children,
  wide = false,
  plain = false,
  mustAnswer = false,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** Without its title and close button, which screen readers still get. */
  readonly plain?: boolean;
  /** Only a button in it closes it, as for a secret that is shown once. */
  readonly mustAnswer?: boolean;
}) => {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      // First, or the page behind it could not take the focus.
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  useEffect(() => {
    const dialog = ref.current;
    const cancel = (event: Event) => {
      event.preventDefault();
      if (!mustAnswer) close.current();
    };
    dialog?.addEventListener('cancel', cancel);
    return () => dialog?.removeEventListener('cancel', cancel);
  }, []);
  return (
    <dialog
      ref={ref}
      class={[wide && 'wide', plain && 'plain'].filter(Boolean).join(' ')}
      aria-labelledby={titleId}
      onClick={(event) => {
        if (event.target === ref.current && !mustAnswer) onClose();
      }}
    >
      <article>
        <header class={plain ? 'visually-hidden' : ''}>
          <h2 id={titleId}>{title}</h2>
          {!plain && !mustAnswer && (
            <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </article>
    </dialog>
  );
};
