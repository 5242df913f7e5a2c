import { describe, expect, it } from 'vitest';
import { GENERATED_FILES, readPage, writePage } from '../../tools/docs/write-pages.js';

describe('the generated part', () => {
  it.each(GENERATED_FILES)('of docs/%s is up to date', async (page) => {
    expect(readPage(page) === (await writePage(page)), 'it is stale: run npm run docs').toBe(true);
  });

  it('of the plugin contract explains every export', () => {
    const unexplained = [...readPage('plugin-contract.md').matchAll(/^- `(\w+)`:\s*$/gm)];
    expect(unexplained.map(([, name]) => name)).toEqual([]);
  });
});
