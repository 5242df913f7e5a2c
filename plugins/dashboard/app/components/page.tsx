import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { ApiError } from '../api/api-error.ts';
import { helpFor } from '../help.ts';
import { type Loaded, siteName, ErrorNote } from '../ui.ts';
import { scrollOpenedPage } from '../scroll-memory.ts';
import { Icon } from './icon.tsx';

/** A name that may break after dots, underscores and the like: `group.member_added`. */
export const Name = ({ of: text }: { readonly of: string }) => (
  <>
    {text.split(/(?<=[._@/-])/).map((part, at) => (
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
);

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
    document.title = `${title} · ${siteName.value}`;
  }, [title]);
  useEffect(() => {
    scrollOpenedPage();
    const { activeElement } = document;
    // Not while someone types in a field that opened the page, such as a filter.
    if (activeElement === null || activeElement === document.body || isGone(activeElement))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-head split">
        <div>
          {up && (
            <Link class="up" href={up.href}>
              <Icon name="chevron" />
              {up.title}
            </Link>
          )}
          <div class="row">
            <h1 ref={heading} tabIndex={-1}>
              <Name of={title} />
            </h1>
            <HelpLink />
          </div>
          {lead !== undefined && <p class="lead cluster">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions cluster">{actions}</div>}
      </header>
      {children}
    </>
  );
};

/** In another tab: filters and forms stay as they are. Documents have none. */
const HelpLink = () => {
  const [location] = useLocation();
  if (location.startsWith('/help/')) return null;
  return (
    <a class="row" href={`/dashboard/help/${helpFor(location)}`} target="_blank">
      <Icon name="help" />
      Help
    </a>
  );
};

/** Links of the navigation keep the focus otherwise, though another page has opened. */
const isGone = (element: Element): boolean =>
  !element.isConnected || element.closest('.sidebar, .tabs, .page-head') !== null;

/** A part of a page. */
export const Section = ({
  id,
  title,
  lead,
  actions,
  flush = false,
  step,
  children,
}: {
  /** For links to it. */
  readonly id?: string;
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Without space around its content, for tables. */
  readonly flush?: boolean;
  /** Its number, in a sequence of steps. */
  readonly step?: number;
  readonly children: ComponentChildren;
}) => (
  <section id={id} class={flush ? 'card card-flush' : 'card'} aria-label={title}>
    <header class="card-head split">
      <div>
        <h2 class="row">
          {step !== undefined && <span class="step-number">{step}</span>}
          {title}
        </h2>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {actions !== undefined && <div class="card-actions cluster">{actions}</div>}
    </header>
    <div class="card-body">{children}</div>
  </section>
);

type FactList = readonly (readonly [name: string, value: ComponentChildren])[];

/** Names and values; without those that have none. */
export const Facts = ({
  of,
  isWide = false,
}: {
  readonly of: FactList;
  /** With space for long names. */
  readonly isWide?: boolean;
}) => (
  <dl class={isWide ? 'values wide-values' : 'values'}>
    {of
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** The section of a page that lists facts. */
export const Details = ({ of }: { readonly of: FactList }) => (
  <Section title="Details">
    <Facts of={of} />
  </Section>
);

/** Lines that stand for content that loads. */
export const Skeleton = ({ lines = 4 }: { readonly lines?: number }) => (
  <div class="skeleton" role="progressbar" aria-busy="true" aria-label="Loading">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} />
    ))}
  </div>
);

/** What was read, or its error, or a placeholder while it loads. */
export const Async = <Body,>({
  of: { data, error, isLoading, reload },
  lines,
  instead,
  children,
}: {
  readonly of: Loaded<Body>;
  readonly lines?: number;
  /** Shown instead of some errors. */
  readonly instead?: (error: ApiError) => ComponentChildren;
  readonly children: (data: Body) => ComponentChildren;
}) => {
  if (error) return <>{instead?.(error) ?? <ErrorNote error={error} onRetry={reload} />}</>;
  if (data === undefined) return <Skeleton {...(lines !== undefined && { lines })} />;
  return <div class={isLoading ? 'is-stale' : ''}>{children(data)}</div>;
};

/** The page of an object that is not read yet, or could not be. */
export const PendingPage = ({
  of,
  kind,
  up,
}: {
  readonly of: Loaded<unknown>;
  /** "Room": the title while its name is not known. */
  readonly kind: string;
  readonly up: { readonly href: string; readonly title: string };
}) => (
  <Page title={kind} up={up}>
    <Async of={of} lines={8}>
      {() => null}
    </Async>
  </Page>
);
