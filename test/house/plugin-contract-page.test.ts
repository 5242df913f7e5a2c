import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeContract } from '../../tools/docs/write-plugin-contract.js';

const page = readFileSync(new URL('../../docs/plugin-contract.md', import.meta.url), 'utf8');

describe('docs/plugin-contract.md', () => {
  it('is up to date', async () => {
    expect(page === (await writeContract()), 'it is stale: run npm run docs:plugins').toBe(true);
  });

  it('explains every export', () => {
    const [, generated = ''] = page.split('<!-- generated');
    const unexplained = [...generated.matchAll(/^- `(\w+)`:\s*$/gm)];
    expect(unexplained.map(([, name]) => name)).toEqual([]);
  });
});
