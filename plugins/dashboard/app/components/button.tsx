import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** A button with its text, an icon, or both; while it is busy, Pico shows a spinner in it. */
export const Button = ({
  icon,
  label,
  isBusy,
  disabled,
  children,
  ...rest
}: Omit<ButtonHTMLAttributes, 'icon' | 'label'> & {
  readonly icon?: IconName | undefined;
  readonly label?: string;
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'submit';
}) => (
  <button
    type="button"
    {...rest}
    {...(isBusy !== undefined && { 'aria-busy': isBusy })}
    disabled={isBusy === true || disabled === true}
  >
    {icon !== undefined && isBusy !== true && <Icon name={icon} />}
    {label}
    {children}
  </button>
);
