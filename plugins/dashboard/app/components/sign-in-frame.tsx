import type { ComponentChildren } from 'preact';

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
      <p class="sign-in-brand">Rollgate</p>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);
