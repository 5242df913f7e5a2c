/** How many look-ups there may be at once. */
export interface LookupBounds {
  /** Per owner: names without an answer must not block the lookups of others. */
  readonly ofOwner: number;
  readonly overall: number;
  /** How many more of an owner may wait. */
  readonly waitingOfOwner: number;
}

/** Gives look-ups their places, to the owners in turn. */
export interface LookupPlaces {
  /**
   * Resolves with how to leave the place again. Rejects with the signal's reason once it aborts, and
   * at once where too many of the owner wait.
   */
  readonly take: (owner: string, signal: AbortSignal) => Promise<() => void>;
}

type Enter = () => void;

export const createLookupPlaces = (bounds: LookupBounds): LookupPlaces => {
  const taken = new Map<string, number>();
  /** Owners that wait, whose turn is next first. */
  const waiting = new Map<string, Set<Enter>>();
  let all = 0;

  const ofOwner = (owner: string): number => taken.get(owner) ?? 0;

  const count = (owner: string, by: 1 | -1): void => {
    all += by;
    const left = ofOwner(owner) + by;
    if (left === 0) taken.delete(owner);
    else taken.set(owner, left);
  };

  const isFree = (owner: string): boolean =>
    all < bounds.overall && ofOwner(owner) < bounds.ofOwner;

  const leave = (owner: string) => {
    let hasLeft = false;
    return (): void => {
      if (hasLeft) return;
      hasLeft = true;
      count(owner, -1);
      letIn();
    };
  };

  const letIn = (): void => {
    for (const [owner, line] of waiting) {
      if (all >= bounds.overall) return;
      const [enter] = line;
      if (!enter || !isFree(owner)) continue;
      drop(owner, enter);
      // To the end of the line, so that owners take turns.
      if (line.size > 0) {
        waiting.delete(owner);
        waiting.set(owner, line);
      }
      enter();
    }
  };

  const drop = (owner: string, enter: Enter): void => {
    const line = waiting.get(owner);
    line?.delete(enter);
    if (line?.size === 0) waiting.delete(owner);
  };

  const queue = (owner: string, signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const line = waiting.get(owner) ?? new Set();
      if (line.size >= bounds.waitingOfOwner) {
        reject(new Error('Too many names of this owner wait to be looked up.'));
        return;
      }
      const giveUp = (): void => {
        drop(owner, enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        count(owner, 1);
        resolve(leave(owner));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      line.add(enter);
      waiting.set(owner, line);
    });

  return {
    take: async (owner, signal) => {
      signal.throwIfAborted();
      if (!isFree(owner) || waiting.has(owner)) return queue(owner, signal);
      count(owner, 1);
      return leave(owner);
    },
  };
};
