import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** A remark, a warning, or what needs attention. */
export const Note = ({
  tone = 'info',
  icon,
  children,
}: {
  readonly tone?: 'info' | 'good' | 'warning' | 'bad';
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) => (
  <div class={`note note-${tone}`}>
    <Icon name={icon ?? (tone === 'info' ? 'info' : tone === 'good' ? 'check' : 'alert')} />
    <div>{children}</div>
  </div>
);
