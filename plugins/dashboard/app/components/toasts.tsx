import { signal } from '@preact/signals';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const toasts = signal<readonly Toast[]>([]);

const SHOWN_MS = 6_000;
let last = 0;

const dismissToast = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/** Shows what has happened. A failure stays until it is dismissed. */
export const showToast = (text: string, tone: Toast['tone'] = 'good'): void => {
  const id = (last += 1);
  toasts.value = [...toasts.value.slice(-2), { id, text, tone }];
  if (tone === 'good') setTimeout(() => dismissToast(id), SHOWN_MS);
};

/** Announced by screen readers; it is there before the first toast, or that would not be. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, tone }) => (
      <div key={id} class={`toast toast-${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'alert'} />
        <span>{text}</span>
        <Button
          icon="close"
          class="icon-button"
          aria-label="Dismiss"
          onClick={() => dismissToast(id)}
        />
      </div>
    ))}
  </div>
);
