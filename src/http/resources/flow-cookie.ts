import { z } from 'zod';
import type { Browser } from '../../routes/caller.js';
import type { FlowCookieName } from '../access/sessions.js';
import type { RouteParts } from './route-parts.js';

interface Flow<Content> {
  /** Also sealed, so that the cookie of one flow is none of another. */
  readonly cookie: FlowCookieName;
  readonly lifeMs: number;
  readonly content: z.ZodType<Content>;
}

/**
 * What a browser carries from the start of a sign-in to its end, sealed in a cookie of its own:
 * requests without credentials store nothing, and any gateway can finish what another has begun.
 */
export const createFlowCookie = <Content>(
  { sessions, seal, now }: Pick<RouteParts, 'sessions' | 'seal' | 'now'>,
  { cookie, lifeMs, content }: Flow<Content>,
) => {
  const Sealed = z.object({ flow: z.literal(cookie), until: z.number(), content });
  const { name, header } = sessions.cookies();
  return {
    /** The header that gives it to the browser. */
    begin: (carried: Content): string => {
      const until = now().getTime() + lifeMs;
      const plain = JSON.stringify({ flow: cookie, until, content: carried });
      return header(cookie, seal.seal(plain), lifeMs / 1_000);
    },
    /** Undefined: the browser has none, or it has expired. */
    read: (browser: Browser): Content | undefined => {
      const sealed = browser.cookie(name(cookie));
      if (sealed === undefined) return undefined;
      try {
        const { until, content: carried } = Sealed.parse(JSON.parse(seal.unseal(sealed)));
        return until > now().getTime() ? carried : undefined;
      } catch {
        // Of another flow or database, or damaged: as good as none.
        return undefined;
      }
    },
    /** The header that deletes it. */
    end: (): string => header(cookie, '', 0),
  };
};
