import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startProcess } from '../../src/plugin/connector-runtime/isolated-process.js';

const MODULE = new URL('../../src/plugin/connector-runtime/isolated-process.ts', import.meta.url)
  .href;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it.each([
  ['idle', 'process.on("message", () => {})'],
  ['in a loop without end', 'for (;;);'],
])('a process ends when the gateway is killed: %s', async (_what, program) => {
  const gateway = spawn(
    process.execPath,
    [
      ...['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval'],
      `import { startProcess } from ${JSON.stringify(MODULE)};
       const { pid } = startProcess({
         program: 'process.send("up"); ' + ${JSON.stringify(program)},
         heapMb: 32,
         memoryMb: 256,
         onMessage: () => process.stdout.write(String(pid)),
       });
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [text] = (await once(gateway.stdout, 'data')) as [Buffer];
  const pid = Number(text.toString());
  expect(isRunning(pid)).toBe(true);
  gateway.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

/** A process that sends back what it gets, once it is up. */
const startEcho = async () => {
  const messages: unknown[] = [];
  const child = startProcess({
    program: 'process.on("message", (message) => process.send(message)); process.send("up");',
    heapMb: 32,
    memoryMb: 256,
    onMessage: (message) => messages.push(message),
  });
  await expect.poll(() => messages).toEqual(['up']);
  return { child, messages };
};

describe('a signal to the gateway', () => {
  // Ctrl-C reaches its process group, and systemd's default KillMode each process of the service.
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s leaves its processes alone',
    async (name) => {
      const { child, messages } = await startEcho();
      process.kill(child.pid ?? 0, name);
      child.send('still here');
      await expect.poll(() => messages.at(-1)).toBe('still here');
      await child.kill();
    },
  );

  it('does not reach a process that has just started, either', async () => {
    const { pid = 0, kill } = startProcess({
      program: '',
      heapMb: 32,
      memoryMb: 256,
      onMessage: () => undefined,
    });
    // A process that leads a group of its own gets no signals to the group of the gateway.
    expect(() => process.kill(-pid, 0)).not.toThrow();
    await kill();
  });
});

it('a process that is killed reports nothing more, and takes no messages', async () => {
  const { child, messages } = await startEcho();
  child.send({ at: new Date(0), list: [undefined] });
  await expect.poll(() => messages.at(-1)).toEqual({ at: new Date(0), list: [undefined] });
  expect(await child.kill()).toEqual({ isMemory: false, notes: '' });
  child.send('late');
  expect(messages).toHaveLength(2);
});

it('what a process wrote last explains its end', async () => {
  const { ended } = startProcess({
    program: 'console.error("x".repeat(100_000)); throw new Error("broken");',
    heapMb: 32,
    memoryMb: 256,
    onMessage: () => undefined,
  });
  const { notes } = await ended;
  expect(notes).toContain('Error: broken');
  expect(notes.length).toBeLessThanOrEqual(2_000);
});

it('too much memory is recognised before a stack trace of any length', async () => {
  const { ended } = startProcess({
    program: `console.error('FATAL ERROR: Allocation failed - JavaScript heap out of memory');
      console.error('x'.repeat(100_000));
      process.abort();`,
    heapMb: 32,
    memoryMb: 256,
    onMessage: () => undefined,
  });
  expect(await ended).toMatchObject({ isMemory: true });
});
