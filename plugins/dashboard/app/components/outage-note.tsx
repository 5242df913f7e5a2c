import { outage } from '../outage.ts';
import { Note } from './note.tsx';

/** Announced by screen readers; it is there before the outage, or that would not be. */
export const OutageNote = () => (
  <div role="status">
    {outage.value && (
      <Note tone="warning" icon="refresh">
        <p>
          <strong>{/^[^.]*\.?/.exec(outage.value.message)?.[0]}</strong>
        </p>
        <p>
          {outage.value.code === 'UNREACHABLE'
            ? 'Check your connection and that the gateway is running. '
            : 'What you see may be out of date. '}
          This page retries and updates by itself.
        </p>
      </Note>
    )}
  </div>
);
