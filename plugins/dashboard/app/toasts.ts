import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

export const toasts = signal<readonly Toast[]>([]);

const SHOWN_MS = 6_000;
let last = 0;

export const dismissToast = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/** Shows what has happened. A failure stays until it is dismissed. */
export const showToast = (text: string, tone: Toast['tone'] = 'good'): void => {
  const id = (last += 1);
  toasts.value = [...toasts.value.slice(-2), { id, text, tone }];
  if (tone === 'good') setTimeout(() => dismissToast(id), SHOWN_MS);
};
