import type { ComponentChildren } from 'preact';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

/** A state in a word or two. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) => <span class={`badge badge-${tone}`}>{children}</span>;
