#!/usr/bin/env node
import './harden.js';
import { runProgram } from './cli/program.js';
import { realWorld } from './cli/world.js';

/** The `rollgate` command. */
process.exitCode = await runProgram(process.argv.slice(2), realWorld());
