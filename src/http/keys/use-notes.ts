import type { Log } from '../../api/log.js';
import type { ApiKeyReader } from '../../api/tenants.js';
import type { ApiKeyId } from '../../domain/ids.js';

/** Remembers when keys were last used and writes it down now and then. */
export interface UseNotes {
  readonly note: (id: ApiKeyId) => void;
  /** Writes what is still unwritten; resolves also where that fails. */
  readonly stop: () => Promise<void>;
}

interface UseNoteParts {
  readonly noteUse: ApiKeyReader['noteUse'];
  readonly now: () => Date;
  readonly log: Log;
}

/** `last_used_at` is kept within a minute (decisions.md 3), at the cost of no write a request. */
const INTERVAL_MS = 30_000;
/** Keys remembered between two writes; the times of more are lost, not memory. */
const CAPACITY = 50_000;

export const startUseNotes = ({ noteUse, now, log }: UseNoteParts): UseNotes => {
  let uses = new Map<ApiKeyId, Date>();

  const flush = async (): Promise<void> => {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    await noteUse(written).catch((error: unknown) => {
      log.warn({ err: error }, 'could not store when API keys were last used');
    });
  };

  const timer = setInterval(() => void flush(), INTERVAL_MS);
  timer.unref();

  return {
    note: (id) => {
      if (uses.size < CAPACITY || uses.has(id)) uses.set(id, now());
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};
