import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** Why a list is empty, and what fills it. */
export const Empty = ({
  icon = 'inbox',
  title,
  children,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} />
    </span>
    <p class="empty-title">{title}</p>
    {children !== undefined && <div class="empty-text">{children}</div>}
  </div>
);
