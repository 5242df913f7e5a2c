import { describe, expect, it } from 'vitest';
import { createCleanup } from '../../tools/shared/cleanup.js';

describe('a cleanup', () => {
  it('runs the latest task first, each once, and reports a failure without stopping', async () => {
    const lines: string[] = [];
    const cleanup = createCleanup((line) => lines.push(line));
    cleanup.defer(() => void lines.push('folder'));
    cleanup.defer(() => Promise.reject(new Error('stuck')));
    cleanup.defer(() => void lines.push('server'));
    await Promise.all([cleanup.run(), cleanup.run()]);
    expect(lines).toEqual(['server', 'Cleanup failed: Error: stuck', 'folder']);
  });

  it('runs a task that was deferred after the first run', async () => {
    const lines: string[] = [];
    const cleanup = createCleanup();
    await cleanup.run();
    cleanup.defer(() => lines.push('late'));
    await cleanup.run();
    expect(lines).toEqual(['late']);
  });
});
