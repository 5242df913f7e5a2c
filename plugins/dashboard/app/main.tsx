import { render } from 'preact';
import { App } from './app.tsx';
import './style/index.css';
import { restoreSession } from './sign-in.ts';
import { applyTheme } from './theme.ts';

applyTheme();
void restoreSession();
const root = document.getElementById('app');
if (root) render(<App />, root);
