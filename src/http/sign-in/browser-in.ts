import type { Browser } from '../../api/browser.js';

/** The browser of a request to the operators' API. */
export const browserIn = ({ browser }: { readonly browser?: Browser }): Browser => {
  if (!browser) throw new Error('authenticateOperator must run first');
  return browser;
};
