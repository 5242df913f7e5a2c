import type { RollgateErrorCode } from 'rollgate/client';
import type { ApiError } from '../api/api-error.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

/** What to do about an error, for those whose message does not say it. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  UNREACHABLE: 'Check that the gateway runs and that you are connected, then try again.',
  UNEXPECTED_RESPONSE:
    'Something between you and the gateway answered, such as a proxy. Try again.',
  UNAUTHENTICATED: 'Sign in again.',
  INSUFFICIENT_ROLE: 'Ask an owner to give you the role, or to do this for you.',
  STEP_UP_REQUIRED: 'Sign in again to confirm that it is you.',
  CSRF_REJECTED: 'Reload the page and try again.',
  TENANT_NOT_FOUND: 'Choose another tenant, or ask an owner for access to this one.',
  USER_NOT_FOUND: 'The user was deleted, or belongs to another tenant. Search for the name.',
  ROOM_NOT_FOUND: 'The room was deleted, or belongs to another tenant. Look in the list of rooms.',
  PRECONDITION_FAILED: 'Someone else changed it meanwhile. Reload the page to see their change.',
  RATE_LIMITED: 'Wait a minute, then try again.',
  UNAVAILABLE: 'The database did not answer. Look at the System page, then try again.',
  NOT_FOUND: 'This gateway is older than its dashboard. Restart it with the version you installed.',
  INTERNAL: "Search the gateway's log for the request id.",
} satisfies Partial<Record<RollgateErrorCode, string>>;

/** An error: what happened, its code and request id, and the next step. */
export const ErrorNote = ({
  error,
  onRetry,
}: {
  readonly error: ApiError;
  readonly onRetry?: () => void;
}) => (
  <div class="note note-bad" role="alert">
    <Icon name="alert" />
    <div>
      <p>
        <strong>{error.message}</strong>
      </p>
      {error.details.length > 0 && (
        <ul>
          {error.details.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {NEXT_STEPS[error.code] !== undefined && <p>{NEXT_STEPS[error.code]}</p>}
      <p class="note-meta">
        <code>{error.code}</code>
        {error.requestId !== undefined && (
          <span>
            Request <code>{error.requestId}</code>
            <CopyButton text={error.requestId} what="the request id" />
          </span>
        )}
      </p>
    </div>
    {onRetry && (
      <button type="button" class="secondary small" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
);
