import { beginEarlyReads } from './early-reads.ts';

// The build writes this script into the page.
beginEarlyReads(window.location);
