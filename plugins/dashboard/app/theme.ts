import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const STORED_AS = 'rollgate-theme';

const stored = (): Theme => {
  const text = localStorage.getItem(STORED_AS);
  return text === 'light' || text === 'dark' ? text : 'system';
};

export const theme = signal<Theme>(stored());

/** Applies the theme to the document, now and whenever it changes. */
export const applyTheme = (): void => {
  effect(() => {
    localStorage.setItem(STORED_AS, theme.value);
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
  });
};
