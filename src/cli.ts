#!/usr/bin/env node
import './harden.js';
import { withOpenFiles } from './open-files.js';

/** The `rollgate` command. A gateway that did not start has set the exit code itself. */
await withOpenFiles(async () => {
  const { runProgram } = await import('./cli/program.js');
  const { realWorld } = await import('./cli/world.js');
  const exitCode = await runProgram(process.argv.slice(2), realWorld());
  if (exitCode !== 0) process.exitCode = exitCode;
});
