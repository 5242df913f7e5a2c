import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/plugin/api.js';
import { createJsonataProcess } from '../../../plugins/connectors/mapping/jsonata-process.js';

const childrenOf = (pid: number): readonly string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(pid);
    } catch {
      return false;
    }
  });

const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;

const jsonata = createJsonataProcess();
afterAll(() => jsonata.stop());
const run = (expression: string, data: JsonObject = { a: [1, 2] }) =>
  jsonata.evaluate(expression, data);

describe('the process of JSONata', () => {
  it.each([
    ['$string($count([1..$number(years)]))', { years: 9_999_999 }],
    ['($f := function($x) { $f($x & $x) }; $f("x"))', {}],
    ['$pad("x", 400000)', {}],
    ['[1..900].$pad("x", 1000)', {}],
  ])('a record costs the process of the expression at most: %s', async (expression, data) => {
    expect(await run(expression, data)).toMatchObject({ ok: false });
    expect(await run('$sum(a)')).toMatchObject({ ok: true, value: 3 });
  });

  it('too much memory ends the process of the expression only', async () => {
    const patient = createJsonataProcess(undefined, 60_000);
    const bomb = '$string($count([1..$number(years)]))';
    expect(await patient.evaluate(bomb, { years: 9_999_999 })).toEqual({
      ok: false,
      message: 'the expression needs more than 64 MiB of memory',
    });
    expect(await patient.evaluate(bomb, { years: 3 })).toEqual({ ok: true, value: '3' });
    await patient.stop();
  });

  it.runIf(existsSync('/proc/self/stat'))(
    'expressions without end leave no process and no thread behind',
    async () => {
      const own = createJsonataProcess(undefined, 100, 10);
      await run('1');
      const [processes, threads] = [childrenOf(process.pid), threadsOf(process.pid)];
      for (let time = 0; time < 15; time += 1)
        expect(await own.evaluate('($f := function($x) { $f($x + 1) }; $f(1))', {})).toMatchObject({
          ok: false,
        });
      expect(await own.evaluate('1 + 1', {})).toEqual({ ok: true, value: 2 });
      // The last one ends because there is nothing to do.
      await expect.poll(() => childrenOf(process.pid)).toEqual(processes);
      expect(threadsOf(process.pid)).toBeLessThanOrEqual(threads + 1);
      await own.stop();
      await expect(own.evaluate('1', {})).rejects.toThrow('The gateway stops.');
    },
  );
});
