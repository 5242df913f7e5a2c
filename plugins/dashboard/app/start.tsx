import { render } from 'preact';
import { App } from './app.tsx';
import { applyPreferences } from './preferences.ts';
import { restoreSession } from './sign-in.ts';

applyPreferences();
void restoreSession();

const show = (): void => {
  const root = document.getElementById('app');
  if (root) render(<App />, root);
};

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show);
else show();
