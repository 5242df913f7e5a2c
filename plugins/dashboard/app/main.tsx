import { render } from 'preact';
import { App } from './app.tsx';
import { applyPreferences } from './preferences.ts';
import { restoreSession } from './sign-in.ts';
import './style/pico.scss';
import './style/index.css';

applyPreferences();
void restoreSession();

const root = document.getElementById('app');
if (root) render(<App />, root);
