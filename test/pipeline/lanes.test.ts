import { delay, map, of, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { inLanes } from '../../src/pipeline/lanes.js';

/** Items are `a1`: lane a, item 1. A batch takes `milliseconds` and comes out as its items joined. */
const lanes = (
  milliseconds: number,
  {
    most = 100,
    concurrency = 8,
    linger = 0,
    waits = [],
  }: { most?: number; concurrency?: number; linger?: number; waits?: number[] } = {},
) =>
  inLanes<string, string>(
    {
      laneOf: (item) => item.charAt(0),
      takeBatch: (queue) => queue.splice(0, most),
      concurrency,
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
  it('run what arrives first at once, and all that came meanwhile as the next batch', () => {
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

  it('take turns where fewer may run than are ready', () => {
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

  it('run no batch larger than what is taken', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' (abc|)', items);
      const expected = '     -A(B|)';
      const took = lanes(1, { most: 2 });
      expectObservable(source$.pipe(took)).toBe(expected, { A: 'a1', B: 'a2+a3' });
    });
  });

  it('wait a moment for those who were just answered, and go on when they are all back', () => {
    draw(({ cold, expectObservable }) => {
      // a1 is answered at 3 and comes back as c: the next batch is both, without the whole wait.
      const source$ = cold(' ab--c---|', items);
      const expected = '     ---A---B|';
      expectObservable(source$.pipe(lanes(3, { linger: 5 }))).toBe(expected, {
        A: 'a1',
        B: 'a2+a3',
      });
    });
  });

  it('do not wait for them longer than that', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' ab-------|', items);
      const expected = '     ---A----B|';
      expectObservable(source$.pipe(lanes(3, { linger: 2 }))).toBe(expected, {
        A: 'a1',
        B: 'a2',
      });
    });
  });

  it('wait for less where nobody comes back in time, and as before once somebody does', () => {
    const waits: number[] = [];
    const names = { a: 'a1', b: 'a2', c: 'a3', d: 'a4', e: 'a5', f: 'a6', g: 'a7' };
    draw(({ cold, expectObservable }) => {
      // Only f comes within the two milliseconds after a batch, the third.
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

  it('never wait where one client comes alone', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' a---b---|', items);
      const expected = '     ---A---B|';
      expectObservable(source$.pipe(lanes(3, { linger: 5 }))).toBe(expected, {
        A: 'a1',
        B: 'a2',
      });
    });
  });

  it('take along what still comes in the same turn', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' ab---|', items);
      const expected = '     ----A|';
      const took = inLanes<string, string>(
        {
          laneOf: () => 'a',
          takeBatch: (queue) => queue.splice(0),
          concurrency: 1,
          turn: () => timer(2),
        },
        (batch) => of(batch.join('+')).pipe(delay(2)),
      );
      expectObservable(source$.pipe(took)).toBe(expected, { A: 'a1+a2' });
    });
  });

  it('end when the source has ended and every batch is through', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' a|', items);
      const expected = '     ----(A|)';
      expectObservable(source$.pipe(lanes(4))).toBe(expected, { A: 'a1' });
    });
  });

  it('stop their work when nobody listens any more', () => {
    draw(({ cold, expectObservable }) => {
      const source$ = cold(' abc-----', items);
      const stop = '         -----!';
      const expected = '     ---A----';
      expectObservable(source$.pipe(lanes(3)), stop).toBe(expected, { A: 'a1' });
    });
  });

  it('survive a batch that ends while its lane is being fed in the same turn', () => {
    draw(({ cold, expectObservable }) => {
      const again = inLanes<string, string>(
        { laneOf: () => 'a', takeBatch: (queue) => queue.splice(0), concurrency: 1 },
        (batch) => of(batch.join('+')).pipe(map((text) => text.toUpperCase())),
      );
      expectObservable(cold('(ab)c|', items).pipe(again)).toBe('(AB)C|', {
        A: 'A1',
        B: 'A2',
        C: 'A3',
      });
    });
  });
});
