import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';

/** A line of a menu, and the dialog that it opens. */
export interface MenuItem {
  readonly label: string;
  readonly dialog: (close: () => void) => ComponentChildren;
  readonly isDestructive?: boolean;
  readonly isDisabled?: boolean;
}

const GAP = 4;

/** Below the button, or above it if there is no room; the browser shows it above everything else. */
const place = (list: HTMLElement, button: HTMLElement): void => {
  const { top, bottom, right } = button.getBoundingClientRect();
  const { offsetHeight: height, offsetWidth: width } = list;
  const isBelow = bottom + GAP + height <= window.innerHeight || top < height;
  list.style.top = `${isBelow ? bottom + GAP : top - GAP - height}px`;
  list.style.left = `${Math.max(GAP, right - width)}px`;
};

/**
 * A button with a menu (WAI-ARIA APG, menu button): arrow keys, Home, End and first letters move in
 * it, Esc and Tab close it, and the focus returns to the button.
 */
export const Menu = ({
  label,
  about,
  icon = 'more',
  items,
}: {
  /** Visible; absent: the icon alone. */
  readonly label?: string;
  /** For screen readers: what it is a menu of. */
  readonly about: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
}) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<MenuItem>();
  const frame = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const lines = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const button = () => frame.current?.querySelector('button');
  const focus = (at: number) => {
    const all = lines();
    all[(at + all.length) % all.length]?.focus();
  };
  const open = (at: number) => {
    const opener = button();
    if (!list.current || !opener) return;
    list.current.showPopover();
    place(list.current, opener);
    setOpen(true);
    focus(at);
  };
  const leave = () => {
    list.current?.hidePopover();
    setOpen(false);
  };
  const close = () => {
    leave();
    button()?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    // It would stay where it is on the screen.
    window.addEventListener('scroll', leave, { capture: true });
    return () => window.removeEventListener('scroll', leave, { capture: true });
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = lines();
    const at = all.findIndex((line) => line === document.activeElement);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => (isOpen ? focus(at + 1) : open(0)),
      ArrowUp: () => (isOpen ? focus(at - 1) : open(-1)),
      ...(isOpen && { Home: () => focus(0), End: () => focus(-1), Escape: close }),
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      event.stopPropagation();
      move();
    } else if (isOpen && event.key === 'Tab') close();
    else if (isOpen && event.key.length === 1 && event.key !== ' ') {
      const letter = event.key.toLowerCase();
      const next = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      next.find(({ textContent }) => textContent.toLowerCase().startsWith(letter))?.focus();
    }
  };
  return (
    <>
      <span
        ref={frame}
        class="menu"
        onKeyDown={onKeyDown}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) leave();
        }}
      >
        <Button
          icon={icon}
          {...(label !== undefined && { label })}
          class={label === undefined ? 'icon-button' : 'secondary'}
          aria-label={about}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          aria-controls={id}
          // The focus stays in the menu: else this press would close it and open it again.
          onMouseDown={(event) => isOpen && event.preventDefault()}
          onClick={() => (isOpen ? close() : open(0))}
        />
        <ul ref={list} id={id} class="menu-list" role="menu" aria-label={about} popover="manual">
          {items.map((item) => (
            <li key={item.label} role="none">
              <button
                type="button"
                role="menuitem"
                tabIndex={-1}
                class={item.isDestructive === true ? 'danger-text' : ''}
                aria-disabled={item.isDisabled === true}
                onClick={() => {
                  if (item.isDisabled === true) return;
                  close();
                  setChosen(item);
                }}
              >
                {item.label}
              </button>
            </li>
          ))}
        </ul>
      </span>
      {chosen?.dialog(() => setChosen(undefined))}
    </>
  );
};
