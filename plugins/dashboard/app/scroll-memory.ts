/** Where each page of this visit was scrolled. */
const positions = new Map<string, number>();
/** Where a page that Back or Forward opened was scrolled: it may have to load to be as long again. */
let wanted: number | undefined;
/** Where it stands meanwhile. */
let reached = 0;

/** A page has opened: at its top, or where it was left. */
export const scrollOpenedPage = (): void => {
  window.scrollTo(0, wanted ?? 0);
  reached = window.scrollY;
};

window.history.scrollRestoration = 'manual';
window.addEventListener('popstate', () => {
  wanted = positions.get(window.location.href);
});
// The router's event, for links.
window.addEventListener('pushState', () => {
  wanted = undefined;
});
window.addEventListener('scroll', () => {
  const { scrollHeight, clientHeight } = document.documentElement;
  const isLongEnough = scrollHeight - clientHeight >= (wanted ?? 0);
  // The user scrolls. The page may have grown since it was scrolled as far as it was possible.
  if (isLongEnough && Math.abs(window.scrollY - reached) > 1) wanted = undefined;
  if (wanted === undefined) positions.set(window.location.href, window.scrollY);
});
new ResizeObserver(() => {
  if (wanted !== undefined) scrollOpenedPage();
}).observe(document.body);
