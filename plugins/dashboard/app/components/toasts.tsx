import { dismissToast, toasts } from '../toasts.ts';
import { Icon } from './icon.tsx';

/** Announced by screen readers; it is there before the first toast, or that would not be. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, tone }) => (
      <div key={id} class={`toast toast-${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'alert'} />
        <span>{text}</span>
        <button
          type="button"
          class="icon-button"
          aria-label="Dismiss"
          onClick={() => dismissToast(id)}
        >
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
);
