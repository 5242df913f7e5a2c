import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Code } from '../components/copy.tsx';
import { Lazy } from '../components/lazy.tsx';
import { Page, Section } from '../components/page.tsx';
import { Empty } from '../ui.ts';

type Children = { readonly children: ComponentChildren };

/** A link to another document or elsewhere; files of the repository are not served. */
const A = ({ href, children }: { readonly href: string } & Children) => {
  const { origin, pathname, hash } = new URL(href.replace('.md', ''), window.location.href);
  if (origin !== window.location.origin) return <a href={href}>{children}</a>;
  return documentAt(pathname) ? <a href={pathname + hash}>{children}</a> : <>{children}</>;
};

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
const PARTS = { A, Code, Document, Section };

/** The documents about pages, and those that they refer to. */
const DOCUMENTS = import.meta.glob<{ readonly default: ComponentType<typeof PARTS> }>([
  '../../../../docs/{connectors,error-codes,events,glossary,limits,notifications,operating,operators}.md',
  '../../../../docs/{provisioning-log,settings,sms-lists,tenant-settings,troubleshooting,webhooks}.md',
  '../../../../docs/guides/*.md',
]);

const documentAt = (path: string) =>
  DOCUMENTS[`${path.replace('/dashboard/help', '../../../../docs')}.md`];

/** A document of `docs/`, for operators and customers. */
const Help = () => {
  const load = documentAt(window.location.pathname);
  if (load) return <Lazy load={load} {...PARTS} />;
  return (
    <Page title="Help">
      <Empty icon="search" title="There is no document at this address" />
    </Page>
  );
};

export default Help;
