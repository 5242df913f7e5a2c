import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLruMap } from '../../src/domain/lru-map.js';

it('evicts the least recently used entry and returns its value', () => {
  const map = createLruMap<string, number>(2);
  expect(map.set('a', 1)).toBeUndefined();
  expect(map.set('b', 2)).toBeUndefined();
  expect(map.get('a')).toBe(1);
  expect(map.set('c', 3)).toBe(2);
  expect(map.get('b')).toBeUndefined();
  expect([...map.values()]).toEqual([1, 3]);
});

it('behaves like a linear model over any sequence of operations', () => {
  const key = fc.integer({ min: 0, max: 6 });
  const step = fc.record({ kind: fc.constantFrom('get', 'set', 'delete'), key });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = createLruMap<number, number>(3);
      let model: [number, number][] = [];
      for (const [at, { kind, key: name }] of steps.entries()) {
        const known = model.find(([other]) => other === name);
        if (kind === 'get') expect(map.get(name)).toBe(known?.[1]);
        if (kind === 'delete') map.delete(name);
        if (kind === 'set') map.set(name, at);
        const rest = model.filter(([other]) => other !== name);
        if (kind === 'set') model = [...rest, [name, at] as [number, number]].slice(-3);
        else model = kind === 'get' && known ? [...rest, known] : rest;
      }
      expect([...map.values()]).toEqual(model.map(([, value]) => value));
    }),
  );
});
