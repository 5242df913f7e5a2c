import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Code } from '../components/copy.tsx';
import { Lazy } from '../components/lazy.tsx';
import { Page, Section, Skeleton } from '../components/page.tsx';
import { Empty } from '../ui.ts';

type Children = { readonly children: ComponentChildren };

/** A link of a document: to another one, outside, or to a file of the repository, which is not served. */
const A = ({ href, children }: { readonly href: string } & Children) => {
  const [location] = useLocation();
  if (href.startsWith('#')) return <a href={href}>{children}</a>;
  if (/^https?:/.test(href))
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  const { pathname, hash } = new URL(href.replace('.md', ''), `http://localhost${location}`);
  return documentAt(pathname) ? <Link href={pathname + hash}>{children}</Link> : <>{children}</>;
};

/** From a heading to the next; without a title, what comes before the first. */
const Part = ({
  children,
  ...heading
}: { readonly id?: string; readonly title?: string } & Children) =>
  heading.title === undefined ? (
    <section class="card">
      <div class="card-body">{children}</div>
    </section>
  ) : (
    <Section {...heading} title={heading.title}>
      {children}
    </Section>
  );

const Document = ({ title, children }: { readonly title: string } & Children) => {
  useEffect(() => {
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <Page title={title}>
      <div class="document">{children}</div>
    </Page>
  );
};

/** What documents are made of (`documents` in vite.config.js). */
const PARTS = { A, Code, Document, Part };

/** The documents about pages, and those that they refer to. */
const DOCUMENTS = import.meta.glob<{ readonly default: ComponentType<typeof PARTS> }>([
  '../../../../docs/{connectors,error-codes,events,glossary,limits,notifications,operating,operators}.md',
  '../../../../docs/{provisioning-log,settings,sms-lists,tenant-settings,troubleshooting,webhooks}.md',
  '../../../../docs/guides/*.md',
]);

const documentAt = (location: string) =>
  DOCUMENTS[`${location.replace('/help', '../../../../docs')}.md`];

/** A document of `docs/`, for operators and customers. */
const Help = () => {
  const [location] = useLocation();
  const load = documentAt(location);
  const title = 'Help';
  return load ? (
    <Lazy
      key={location}
      load={load}
      fallback={
        <Page title={title}>
          <Skeleton lines={8} />
        </Page>
      }
      {...PARTS}
    />
  ) : (
    <Page title={title}>
      <Empty icon="search" title="There is no document at this address" />
    </Page>
  );
};

export default Help;
