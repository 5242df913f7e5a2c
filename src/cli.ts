#!/usr/bin/env node
import './process/harden.js';
import './process/compile-cache.js';
import { withOpenFiles } from './process/open-files.js';

/** The `rollgate` command. A gateway that fails to start has set the exit code already. */
await withOpenFiles(async () => {
  const { runProgram } = await import('./cli/program.js');
  const { processContext } = await import('./cli/cli-context.js');
  const exitCode = await runProgram(process.argv.slice(2), processContext());
  if (exitCode !== 0) process.exitCode = exitCode;
});
