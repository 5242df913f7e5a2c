import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { siteName } from '../session.ts';
import { brandName, signInOptions } from '../sign-in.ts';

/** The organisation that operates the gateway, on pages for people who are not signed in. */
export const Brand = () => {
  const brand = signInOptions.value?.brand;
  return (
    <p class="sign-in-brand">
      {brand?.logo_url && <img src={brand.logo_url} alt="" />}
      <bdi>{brandName()}</bdi>
    </p>
  );
};

/** The accent colour of the organisation, while the page is shown. */
export const useBrandColours = (): void => {
  const accent = signInOptions.value?.brand.accent;
  useEffect(() => {
    if (!accent) return undefined;
    const { style, dataset } = document.documentElement;
    style.setProperty('--brand-light', accent.light);
    style.setProperty('--brand-dark', accent.dark);
    dataset['branded'] = '';
    return () => delete dataset['branded'];
  }, [accent]);
};

/** The frame of pages for people who are not signed in. */
export const SignInFrame = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => {
  useBrandColours();
  useEffect(() => {
    document.title = `${title} · ${siteName.value}`;
  }, [title]);
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Brand />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
};
