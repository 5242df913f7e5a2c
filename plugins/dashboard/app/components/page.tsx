import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Icon } from './icon.tsx';

/** The frame of a page: its heading, which gets the focus when the page opens, and its actions. */
export const Page = ({
  title,
  lead,
  up,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** The page above. */
  readonly up?: { readonly href: string; readonly title: string };
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Rollgate`;
  }, [title]);
  useEffect(() => {
    const { activeElement } = document;
    // Not while someone types in a field that opened the page, such as a filter.
    if (activeElement === null || activeElement === document.body || isGone(activeElement))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-head">
        <div>
          {up && (
            <Link class="up" href={up.href}>
              <Icon name="chevron" />
              {up.title}
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};

/** Links of the navigation keep the focus otherwise, though another page has opened. */
const isGone = (element: Element): boolean =>
  !element.isConnected || element.closest('.sidebar, .page-head') !== null;

/** A part of a page. */
export const Section = ({
  title,
  lead,
  actions,
  flush = false,
  step,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Without space around its content, for tables. */
  readonly flush?: boolean;
  /** Its number, in a sequence of steps. */
  readonly step?: number;
  readonly children: ComponentChildren;
}) => (
  <section class={flush ? 'card card-flush' : 'card'} aria-label={title}>
    <header class="card-head">
      <div>
        <h2>
          {step !== undefined && <span class="step-number">{step}</span>}
          {title}
        </h2>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {actions !== undefined && <div class="card-actions">{actions}</div>}
    </header>
    <div class="card-body">{children}</div>
  </section>
);

/** Names and values. */
export const Facts = ({
  of,
}: {
  readonly of: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class="values">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
