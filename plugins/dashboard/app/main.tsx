import { render } from 'preact';
import { App } from './app.tsx';
import { restoreSession } from './sign-in.ts';
import { applyTheme } from './theme.ts';
import './style/pico.scss';
import './style/index.css';

applyTheme();
void restoreSession();
const root = document.getElementById('app');
if (root) render(<App />, root);
