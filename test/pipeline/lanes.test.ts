import { delay, map, of, throwError, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { inLanes, type LaneOptions } from '../../src/pipeline/intake/lanes.js';

const unexpected = (error: unknown): never => {
  throw new Error('a lane failed', { cause: error });
};

/** Item `a1` is item 1 of lane a. A batch takes `milliseconds` and emits its items joined. */
const lanes = (
  milliseconds: number,
  {
    maxItems = 100,
    concurrency = 8,
    linger = 0,
    waits = [],
  }: { maxItems?: number; concurrency?: number; linger?: number; waits?: number[] } = {},
) =>
  inLanes<string, string>(
    {
      laneOf: (item) => item.charAt(0),
      takeBatch: (queue) => queue.splice(0, maxItems),
      concurrency,
      failed: unexpected,
      ...(linger > 0 && {
        linger: (tookMs) => {
          waits.push(tookMs);
          return timer(linger);
        },
      }),
    },
    (batch) => of(batch.join('+')).pipe(delay(milliseconds)),
  );

const draw = (run: Parameters<TestScheduler['run']>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(run);

const items = { a: 'a1', b: 'a2', c: 'a3', x: 'b1', y: 'b2', z: 'c1' };

describe('lanes', () => {
  it('run the first item immediately, and items that arrive then as the next batch', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' abc----|', items);
      const expected = '     ---A--B|';
      expectObservable(source$.pipe(lanes(3))).toBe(expected, { A: 'a1', B: 'a2+a3' });
    });
  });

  it('do not wait for each other', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' ax---|', items);
      const expected = '     ---AX|';
      expectObservable(source$.pipe(lanes(3))).toBe(expected, { A: 'a1', X: 'b1' });
    });
  });

  it('run in the order of arrival if more are ready than may run', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' (abxz|)', items);
      const expected = '     --A-X-Z-(B|)';
      expectObservable(source$.pipe(lanes(2, { concurrency: 1 }))).toBe(expected, {
        A: 'a1',
        X: 'b1',
        Z: 'c1',
        B: 'a2',
      });
    });
  });

  it('run no larger batch than takeBatch takes', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' (abc|)', items);
      const expected = '     -A(B|)';
      const took = lanes(1, { maxItems: 2 });
      expectObservable(source$.pipe(took)).toBe(expected, { A: 'a1', B: 'a2+a3' });
    });
  });

  it('wait for the clients just answered until all of them are back', () => {
    draw(({ cold, expectObservable }) => {
      // a1 is answered at 3, and its client sends c: the next batch is both, before the wait is over.
      const source$ = cold(' ab--c---|', items);
      const expected = '     ---A---B|';
      expectObservable(source$.pipe(lanes(3, { linger: 5 }))).toBe(expected, {
        A: 'a1',
        B: 'a2+a3',
      });
    });
  });

  it('stop waiting for them after the linger time', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' ab-------|', items);
      const expected = '     ---A----B|';
      expectObservable(source$.pipe(lanes(3, { linger: 2 }))).toBe(expected, {
        A: 'a1',
        B: 'a2',
      });
    });
  });

  it('wait for a shorter time if no client comes back, and as before once one does', () => {
    const waits: number[] = [];
    const names = { a: 'a1', b: 'a2', c: 'a3', d: 'a4', e: 'a5', f: 'a6', g: 'a7' };
    draw(({ cold, expectObservable }) => {
      // Only f arrives within the two milliseconds after a batch, the third one.
      const source$ = cold(' (abc)---d-----e--f-g----------|', names);
      const expected = '     ----A-----B-----D----E-----G--|';
      expectObservable(source$.pipe(lanes(4, { linger: 2, waits }))).toBe(expected, {
        A: 'a1',
        B: 'a2+a3',
        D: 'a4',
        E: 'a5+a6',
        G: 'a7',
      });
    });
    expect(waits).toEqual([4, 2, 1, 4]);
  });

  it('never wait for a lone client', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' a---b---|', items);
      const expected = '     ---A---B|';
      expectObservable(source$.pipe(lanes(3, { linger: 5 }))).toBe(expected, {
        A: 'a1',
        B: 'a2',
      });
    });
  });

  it('add to a batch what arrives until afterIo emits', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' ab---|', items);
      const expected = '     ----A|';
      const took = inLanes<string, string>(
        {
          laneOf: () => 'a',
          takeBatch: (queue) => queue.splice(0),
          concurrency: 1,
          afterIo: () => timer(2),
          failed: unexpected,
        },
        (batch) => of(batch.join('+')).pipe(delay(2)),
      );
      expectObservable(source$.pipe(took)).toBe(expected, { A: 'a1+a2' });
    });
  });

  it('complete when the source has completed and every batch is done', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' a|', items);
      const expected = '     ----(A|)';
      expectObservable(source$.pipe(lanes(4))).toBe(expected, { A: 'a1' });
    });
  });

  it('stop their work when unsubscribed', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' abc-----', items);
      const stop = '         -----!';
      const expected = '     ---A----';
      expectObservable(source$.pipe(lanes(3)), stop).toBe(expected, { A: 'a1' });
    });
  });

  it('accept items while a synchronous batch completes', () => {
    draw(({ cold, expectObservable }) => {
      const again = inLanes<string, string>(
        {
          laneOf: () => 'a',
          takeBatch: (queue) => queue.splice(0),
          concurrency: 1,
          failed: unexpected,
        },
        (batch) => of(batch.join('+')).pipe(map((text) => text.toUpperCase())),
      );
      expectObservable(cold('(ab)c|', items).pipe(again)).toBe('(AB)C|', {
        A: 'A1',
        B: 'A2',
        C: 'A3',
      });
    });
  });

  describe('continue after an error', () => {
    const fault = new Error('a bug');
    const brokenAt = (item: string, options: Partial<LaneOptions<string>>) => {
      const failures: (readonly string[])[] = [];
      const operator = inLanes<string, string>(
        {
          laneOf: (one) => one.charAt(0),
          takeBatch: (queue) => queue.splice(0),
          concurrency: 1,
          failed: (error, items) => {
            expect(error).toBe(fault);
            failures.push(items);
          },
          ...options,
        },
        (batch) => {
          if (batch.includes(item)) throw fault;
          return of(batch.join('+')).pipe(delay(3));
        },
      );
      return { operator, failures };
    };

    it('of a batch, whose items fail', () => {
      const { operator, failures } = brokenAt('a2', {});
      draw(({ cold, expectObservable }) => {
        const source$ = cold(' abx----c|', items);
        expectObservable(source$.pipe(operator)).toBe('---A--X---(C|)', {
          A: 'a1',
          X: 'b1',
          C: 'a3',
        });
      });
      expect(failures).toEqual([['a2']]);
    });

    it('of an item that has no lane', () => {
      const laneOf = (item: string): string => {
        if (item === 'a2') throw fault;
        return item.charAt(0);
      };
      const { operator, failures } = brokenAt('', { laneOf });
      draw(({ cold, expectObservable }) => {
        expectObservable(cold('(abc)|', items).pipe(operator)).toBe('---A--(C|)', {
          A: 'a1',
          C: 'a3',
        });
      });
      expect(failures).toEqual([['a2']]);
    });

    it('of takeBatch, with one item at a time', () => {
      const takeBatch = (): never => {
        throw fault;
      };
      const { operator, failures } = brokenAt('', { takeBatch });
      draw(({ cold, expectObservable }) => {
        expectObservable(cold('(ab)|', items).pipe(operator)).toBe('---A--(B|)', {
          A: 'a1',
          B: 'a2',
        });
      });
      expect(failures).toEqual([[], []]);
    });

    it.each(['linger', 'afterIo'] as const)('of %s, without that wait', (wait) => {
      const { operator, failures } = brokenAt('', { [wait]: () => throwError(() => fault) });
      draw(({ cold, expectObservable }) => {
        expectObservable(cold('(ab)|', items).pipe(operator)).toBe('---A--(B|)', {
          A: 'a1',
          B: 'a2',
        });
      });
      expect(failures).not.toEqual([]);
    });
  });
});
