#!/usr/bin/env node
import './harden.js';
import { runProgram } from './cli/program.js';
import { realWorld } from './cli/world.js';

/** The `rollgate` command. A gateway that did not start has set the exit code itself. */
const exitCode = await runProgram(process.argv.slice(2), realWorld());
if (exitCode !== 0) process.exitCode = exitCode;
