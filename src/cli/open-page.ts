import { spawn } from 'node:child_process';
import type { CliContext } from './cli-context.js';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer.exe',
};

/** Prints the address and, on a terminal, opens it in the browser if there is one. */
export const openPage = (url: string, { stdout }: Pick<CliContext, 'stdout'>): void => {
  stdout.write(`${url}\n`);
  if (stdout.isTerminal !== true) return;
  const program = OPENERS[process.platform] ?? 'xdg-open';
  spawn(program, [url], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
};
