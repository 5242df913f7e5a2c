import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Form } from '../form-errors.tsx';
import { mayDiscard, useUnsaved } from '../unsaved.ts';
import { useAction } from '../use-action.ts';
import { Button, ErrorNote } from '../ui.ts';
import type { IconName } from './icon.tsx';

/** Where typing goes: not to a checkbox, and to the chosen one of radio buttons. */
const FIELDS =
  'input:enabled:not([type="checkbox"], [type="radio"]:not(:checked)), select:enabled, textarea:enabled';

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside; it returns to
 * where it was. What was entered is discarded by the dialog's own buttons only: Esc and the like ask.
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
  /** Only a button in it closes it: a secret is shown once, or a request is under way. */
  readonly mustAnswer?: boolean;
}) => {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  /** Changed fields. Those that are gone, as after a first step, do not count. */
  const edited = useRef(new Set<EventTarget>());
  const isFilled = () =>
    !plain &&
    !mustAnswer &&
    [...edited.current].some((field) => field instanceof Element && field.isConnected);
  useUnsaved(isFilled);
  const dismiss = useRef(onClose);
  dismiss.current = () => {
    if (!mustAnswer && mayDiscard(isFilled())) onClose();
  };
  const pressed = useRef<EventTarget | null>(null);
  // In the frame that shows it: an effect after the frame would miss a key that is pressed at once.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    // Before the browser sees it: Chromium closes a dialog at the second Esc, whatever the first was
    // answered. Not on the dialog: a button that is disabled while it works loses the focus.
    const escape = (event: KeyboardEvent) => {
      const isTop = [...document.querySelectorAll('dialog')].at(-1) === dialog;
      if (event.key !== 'Escape' || event.defaultPrevented || !isTop) return;
      event.preventDefault();
      dismiss.current();
    };
    const cancel = (event: Event) => {
      event.preventDefault();
      dismiss.current();
    };
    // Other gestures that close it, such as Android's.
    const reopen = () => {
      if (dialog?.isConnected) dialog.showModal();
      dismiss.current();
    };
    document.addEventListener('keydown', escape);
    dialog?.addEventListener('cancel', cancel);
    dialog?.addEventListener('close', reopen);
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>(FIELDS)?.focus();
    return () => {
      document.removeEventListener('keydown', escape);
      dialog?.removeEventListener('cancel', cancel);
      dialog?.removeEventListener('close', reopen);
      // First, or the page behind it could not take the focus.
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={[wide && 'wide', plain && 'plain'].filter(Boolean).join(' ')}
      aria-labelledby={titleId}
      onInput={({ target }) => target && edited.current.add(target)}
      onMouseDown={(event) => {
        pressed.current = event.target;
        // The field keeps the focus.
        if (event.target === ref.current) event.preventDefault();
      }}
      onClick={({ target, detail }) => {
        // Not after a text was selected to beyond the dialog, nor for the second click of a double
        // click, whose first one opened it.
        const isOutside = target === ref.current && pressed.current === ref.current;
        if (isOutside && detail < 2) dismiss.current();
      }}
    >
      <article>
        <header class={plain ? 'visually-hidden' : ''}>
          <h2 id={titleId}>{title}</h2>
          {!plain && !mustAnswer && (
            <Button
              icon="close"
              class="icon-button"
              aria-label="Close"
              onClick={() => dismiss.current()}
            />
          )}
        </header>
        {children}
      </article>
    </dialog>
  );
};

/** A form in a dialog. What it does on success, such as closing, is up to `onSubmit`. */
export const FormDialog = ({
  title,
  action,
  wide = false,
  isBlocked = false,
  isDestructive = false,
  children,
  onSubmit,
  onClose,
}: {
  readonly title: string;
  /** The button: what happens, and to what. */
  readonly action: string;
  readonly wide?: boolean;
  readonly isBlocked?: boolean;
  readonly isDestructive?: boolean;
  readonly children: ComponentChildren;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const { isBusy, error, run } = useAction();
  return (
    <Dialog title={title} wide={wide} mustAnswer={isBusy} onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          void run(onSubmit);
        }}
      >
        {children}
        {error && <ErrorNote error={error} takesFocus />}
        <footer>
          <Button label="Cancel" class="secondary" disabled={isBusy} onClick={onClose} />
          <Button
            label={action}
            type="submit"
            class={isDestructive ? 'danger' : ''}
            isBusy={isBusy}
            disabled={isBlocked}
          />
        </footer>
      </Form>
    </Dialog>
  );
};

/**
 * Asks before a change. `action` names the object and the count: "Deactivate 37 users", "Delete key
 * Okta". It closes when `onConfirm` resolves, and shows the error if it rejects.
 */
export const ConfirmDialog = ({
  isDestructive = true,
  onConfirm,
  onClose,
  ...dialog
}: Omit<Parameters<typeof FormDialog>[0], 'onSubmit'> & {
  readonly onConfirm: () => Promise<void>;
}) => (
  <FormDialog
    {...dialog}
    isDestructive={isDestructive}
    onClose={onClose}
    onSubmit={async () => {
      await onConfirm();
      onClose();
    }}
  />
);

/** A button that opens a dialog, as long as what is in it does not close it. */
export const DialogButton = ({
  children,
  ...button
}: Omit<Parameters<typeof Button>[0], 'children'> & {
  readonly children: (close: () => void) => ComponentChildren;
}) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && children(() => setOpen(false))}
    </>
  );
};

/** A button that asks before it changes something. */
export const ConfirmButton = ({
  label,
  about,
  icon,
  look = 'secondary',
  ...dialog
}: Omit<Parameters<typeof ConfirmDialog>[0], 'onClose'> & {
  readonly label: string;
  /** For screen readers, if the label is the same in every row. */
  readonly about?: string;
  readonly icon?: IconName;
  /** Its class. */
  readonly look?: string;
}) => (
  <DialogButton label={label} icon={icon} class={look} aria-label={about}>
    {(close) => <ConfirmDialog {...dialog} onClose={close} />}
  </DialogButton>
);
