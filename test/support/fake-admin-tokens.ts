import type { AdminTokens } from '../../src/api/admin-token.js';

/** Admin tokens in memory, with a plain hash; the first one is given. */
export const fakeAdminTokens = (first: string): AdminTokens => {
  let valid = first;
  const hashOf = (token: string): string => `hash of ${token}`;
  return {
    hashOf,
    findHash: () => Promise.resolve(hashOf(valid)),
    rotate: (hash) => {
      if (hash !== hashOf(valid)) return Promise.resolve(undefined);
      valid = `${valid}-rotated`;
      return Promise.resolve({ token: valid, path: '/data/admin-token', wasConfigured: false });
    },
  };
};
