import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { oneOf, useParams } from '../address.ts';
import { useData } from '../api/use-data.ts';
import { isSetupSession, session, siteName } from '../session.ts';
import { brandName, leaveGuide } from '../sign-in.ts';
import { attempt } from '../use-action.ts';
import { Button } from './button.tsx';
import { Lazy } from './lazy.tsx';
import { LazyPage } from './lazy-page.tsx';
import { Note, OutageNote } from './note.tsx';
import { Skeleton } from './page.tsx';
import { Brand, SignInFrame, useBrandColours } from './sign-in-frame.tsx';
import { Time } from './time.tsx';

const SECTIONS = ['connect', 'health', 'people', 'webhooks'] as const;
type SectionName = (typeof SECTIONS)[number];

const TITLES: Readonly<Record<SectionName, string>> = {
  connect: 'Connect',
  health: 'Health',
  people: 'People and rooms',
  webhooks: 'Webhooks',
};

const Content = ({ section, slug }: { readonly section: SectionName; readonly slug: string }) => {
  const fallback = <Skeleton lines={6} />;
  switch (section) {
    case 'connect':
      return <LazyPage load={() => import('../pages/setup.tsx')} slug={slug} id="" />;
    case 'health':
      return <Lazy load={() => import('./guide-health.tsx')} fallback={fallback} slug={slug} />;
    case 'people':
      return <Lazy load={() => import('./guide-people.tsx')} fallback={fallback} slug={slug} />;
    case 'webhooks':
      return <LazyPage load={() => import('../pages/webhooks.tsx')} slug={slug} id="" />;
  }
};

const Sections = ({ slug }: { readonly slug: string }) => {
  const [{ section }] = useParams('section');
  const { data } = useData('/admin/v1/tenants/{slug}/setup', { path: { slug } });
  const shown = SECTIONS.filter((one) => one !== 'webhooks' || data?.integrations === true);
  const current = oneOf(shown, section) ?? 'connect';
  return (
    <>
      <p class="cluster">
        <strong>{data?.tenant_name ?? slug}</strong>
        {data?.link_expires_at != null && (
          <span class="quiet">
            Your link works until <Time at={data.link_expires_at} form="absolute" />
          </span>
        )}
      </p>
      <nav class="tabs" aria-label="Sections">
        {shown.map((one) => (
          <Link
            key={one}
            href={`/guide?section=${one}`}
            {...(one === current && { 'aria-current': 'page' })}
          >
            {TITLES[one]}
          </Link>
        ))}
      </nav>
      <Content key={current} section={current} slug={slug} />
    </>
  );
};

/** The pages of the administrator of a customer, who has a setup link. */
const Guide = () => {
  const [isLeaving, setLeaving] = useState(false);
  useBrandColours();
  siteName.value = brandName();
  if (!isSetupSession())
    return (
      <SignInFrame title="The guide is closed">
        <Note>
          <p>
            Open your setup link again. If it no longer works, it has expired or was revoked: ask
            for a new one.
          </p>
        </Note>
      </SignInFrame>
    );
  return (
    <main class="setup-only">
      <div class="split setup-bar">
        <Brand />
        <Button
          icon="out"
          label="Leave the guide"
          class="secondary small"
          isBusy={isLeaving}
          onClick={() => {
            setLeaving(true);
            void attempt(leaveGuide).then(() => setLeaving(false));
          }}
        />
      </div>
      <OutageNote />
      <Sections slug={session.value?.operator.tenants?.[0] ?? ''} />
      <Lazy load={() => import('./always-there.tsx')} />
    </main>
  );
};

export default Guide;
