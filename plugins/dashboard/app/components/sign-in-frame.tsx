import type { ComponentChildren } from 'preact';
import { signInOptions } from '../sign-in.ts';

/** The organisation that operates the gateway, on pages for people who are not signed in. */
export const Brand = () => {
  const brand = signInOptions.value?.brand;
  return (
    <p class="sign-in-brand">
      {brand?.logo_url && <img src={brand.logo_url} alt="" />}
      <bdi>{brand?.name ?? 'Rollgate'}</bdi>
    </p>
  );
};

/** The frame of pages for people who are not signed in. */
export const SignInFrame = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <main class="sign-in">
    <div class="sign-in-card">
      <Brand />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);
