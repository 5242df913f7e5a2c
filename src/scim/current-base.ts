import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The SCIM base of the tenant whose request is being answered. scimmy keeps it in a static of the
 * process and sets it anew in every request, so that one tenant's answer can name another's
 * address (scimmy facts, S5); this follows the request instead.
 */
const bases = new AsyncLocalStorage<string>();

export const withBase = (base: string, work: () => void): void => bases.run(base, work);

export const currentBase = (): string => bases.getStore() ?? '';
