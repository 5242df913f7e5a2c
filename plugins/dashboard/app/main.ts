import { beginEarlyReads } from './early-reads.ts';
import './style/pico.scss';
import './style/index.css';

// This script is `async`: others wait for the styles before they run.
beginEarlyReads(window.location);
void import('./start.tsx');
