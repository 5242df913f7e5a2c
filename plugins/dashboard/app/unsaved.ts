import { useLayoutEffect, useRef } from 'preact/hooks';

/** The forms that are open, each with whether it holds input that was not saved. */
const forms = new Set<() => boolean>();

const hasInput = (): boolean => [...forms].some((isFilled) => isFilled());

/** Asks first if something was entered. */
export const mayDiscard = (isFilled: boolean): boolean =>
  !isFilled || window.confirm('Discard what you entered?');

/** Leaving the page asks first while this is true. */
export const useUnsaved = (isFilled: () => boolean): void => {
  const latest = useRef(isFilled);
  latest.current = isFilled;
  useLayoutEffect(() => {
    const check = () => latest.current();
    forms.add(check);
    return () => void forms.delete(check);
  }, []);
};

window.addEventListener('beforeunload', (event) => {
  if (hasInput()) event.preventDefault();
});

/** Of the Navigation API, which TypeScript 5.9 does not declare. */
interface NavigateEvent extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
}

declare global {
  interface Window {
    readonly navigation?: EventTarget;
  }
}

// Links and calls of the router, and the browser's own buttons, which the router cannot hold back.
window.navigation?.addEventListener('navigate', (event) => {
  const { url, sameDocument } = (event as NavigateEvent).destination;
  const isAnotherPage = sameDocument && new URL(url).pathname !== window.location.pathname;
  if (isAnotherPage && event.cancelable && !mayDiscard(hasInput())) event.preventDefault();
});
