import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RollgateErrorCode } from 'rollgate/client';
import type { ApiError } from '../api/api-error.ts';
import { useErrorAtFields } from '../form-errors.tsx';
import { outage } from '../outage.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Icon, type IconName } from './icon.tsx';

/** A remark, a warning, or what needs attention. */
export const Note = ({
  tone = 'info',
  icon,
  title,
  text,
  children,
}: {
  readonly tone?: 'info' | 'good' | 'warning' | 'bad';
  readonly icon?: IconName;
  readonly title?: ComponentChildren;
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <div class={`note note-${tone}`}>
    <Icon name={icon ?? (tone === 'info' ? 'info' : tone === 'good' ? 'check' : 'alert')} />
    <div>
      {title !== undefined && (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  </div>
);

/** Why a list is empty, and what fills it. */
export const Empty = ({
  icon,
  title,
  text,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} />
    </span>
    <strong>{title}</strong>
    <div class="empty-text">
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  </div>
);

/** What to do about an error, for those whose message does not say it. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  UNREACHABLE: 'Check your connection and that the gateway is running, then try again.',
  UNEXPECTED_RESPONSE:
    'Something between you and the gateway answered, such as a proxy. Try again.',
  UNAUTHENTICATED: 'Sign in again.',
  INSUFFICIENT_ROLE: 'Ask an owner to change your role, or to do this for you.',
  STEP_UP_REQUIRED: 'Sign in again to confirm your identity.',
  CSRF_REJECTED: 'Reload the page and try again.',
  TENANT_NOT_FOUND: 'Choose another tenant, or ask an owner for access.',
  USER_NOT_FOUND: 'The user was deleted or belongs to another tenant. Search by name.',
  ROOM_NOT_FOUND: 'The room was deleted or belongs to another tenant. See the list of rooms.',
  PRECONDITION_FAILED: 'It was changed in the meantime. Reload the page to see the latest version.',
  RATE_LIMITED: 'Wait a minute, then try again.',
  UNAVAILABLE: 'Try again in a few seconds.',
  NOT_FOUND: 'The gateway may be older than the dashboard. Restart it with the installed version.',
  INTERNAL: "Search the gateway's log for the request ID.",
} satisfies Partial<Record<RollgateErrorCode, string>>;

/** Whether the same request can succeed later, without a change by the operator. */
const isTemporary = ({ status }: ApiError): boolean =>
  status === 0 || status === 409 || status === 429 || status >= 500;

/** An error: what happened, its code and request id, and the next step; not what a field shows. */
export const ErrorNote = ({
  error: whole,
  takesFocus = false,
  onRetry,
}: {
  readonly error: ApiError;
  /** In a dialog: its button, which lost the focus while it worked, may cover the note. */
  readonly takesFocus?: boolean;
  readonly onRetry?: () => void;
}) => {
  const note = useRef<HTMLDivElement>(null);
  const error = useErrorAtFields(whole);
  useEffect(() => {
    if (!takesFocus) return;
    note.current?.scrollIntoView({ block: 'center' });
    note.current?.focus({ preventScroll: true });
  }, [whole]);
  if (!error) return null;
  return (
    <div ref={note} class="note note-bad" role="alert" {...(takesFocus && { tabIndex: -1 })}>
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
        {error.code !== '' && (
          <p class="cluster">
            <code>{error.code}</code>
            {error.requestId !== undefined && (
              <span>
                Request ID <code>{error.requestId}</code>
                <CopyButton text={error.requestId} what="the request ID" />
              </span>
            )}
          </p>
        )}
      </div>
      {onRetry && isTemporary(error) && (
        <Button label="Try again" class="secondary small" onClick={onRetry} />
      )}
    </div>
  );
};

/** Announced by screen readers; it is there before the outage, or that would not be. */
export const OutageNote = () => (
  <div role="status">
    {outage.value && (
      <Note tone="warning" icon="refresh" title={/^[^.]*\.?/.exec(outage.value.message)?.[0]}>
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
