import { outage } from '../outage.ts';
import { Note } from './note.tsx';

/** Announced by screen readers; it is there before the outage, or that would not be. */
export const OutageNote = () => (
  <div role="status">
    {outage.value && (
      <Note tone="warning" icon="refresh">
        <p>
          <strong>{outage.value.message}</strong>
        </p>
        <p>
          {outage.value.code === 'UNREACHABLE'
            ? 'Check your connection and that the gateway is running. '
            : 'What you see may be out of date. '}
          The page is retrying and will update by itself.
        </p>
      </Note>
    )}
  </div>
);
