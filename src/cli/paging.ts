import { z } from 'zod';
import type { FieldOption } from './field-option.js';

/** How a list of the API is split into pages. */
export interface Paging {
  readonly options: readonly FieldOption[];
  /** The note below a page; undefined if the list is complete. */
  readonly describe: (body: unknown, shown: number, plural: string) => string | undefined;
}

const limit: FieldOption = {
  flags: '--limit <number>',
  field: 'limit',
  help: 'maximum number of results, up to 500 (default: 100)',
  type: { min: 1, max: 500 },
};

const OffsetPage = z.object({ total: z.int(), offset: z.int() });

/** `{total, limit, offset}`: most lists (decisions.md 3). */
export const OFFSET_PAGING: Paging = {
  options: [
    limit,
    {
      flags: '--offset <number>',
      field: 'offset',
      help: 'number of results to skip (default: 0)',
      type: { min: 0, max: 999_999_999 },
    },
  ],
  describe: (body, shown, plural) => {
    const { total, offset } = OffsetPage.parse(body);
    if (shown === 0 && total > 0) return `No ${plural} at offset ${offset}; there are ${total}.`;
    if (shown === total) return undefined;
    const next = offset + shown;
    const more = next < total ? ` Next page: --offset ${next}` : '';
    return `Showing ${plural} ${offset + 1} to ${next} of ${total}.${more}`;
  },
};

const CursorPage = z.object({ next: z.string().nullable() });

/** `{next}`: the provisioning log. */
export const CURSOR_PAGING: Paging = {
  options: [
    limit,
    { flags: '--cursor <cursor>', field: 'cursor', help: 'continue where the last page ended' },
  ],
  describe: (body) => {
    const { next } = CursorPage.parse(body);
    return next === null ? undefined : `Next page: --cursor ${next}`;
  },
};

const FeedPage = z.object({ next_after: z.int(), has_more: z.boolean(), has_gap: z.boolean() });

/** `{next_after, has_more, has_gap}`: the event log. */
export const FEED_PAGING: Paging = {
  options: [
    limit,
    {
      flags: '--after <seq>',
      field: 'after',
      help: 'only events after this position in the log (default: 0)',
      type: { min: 0, max: Number.MAX_SAFE_INTEGER },
    },
  ],
  describe: (body, _shown, plural) => {
    const { next_after: after, has_more: hasMore, has_gap: hasGap } = FeedPage.parse(body);
    const gap = hasGap ? `Older ${plural} are no longer retained.` : undefined;
    const more = hasMore ? `Next page: --after ${after}` : undefined;
    return [gap, more].filter(Boolean).join(' ') || undefined;
  },
};
