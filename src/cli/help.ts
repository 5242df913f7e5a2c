import type { Command } from 'commander';
import { padEnd, createPaint } from './terminal-text.js';

/** Pairs of a term and its explanation. */
export type HelpLines = readonly (readonly [string, string])[];

/** Adds a section in two columns at the end of the command's help. */
export const addHelpSection = (command: Command, title: string, lines: HelpLines): Command =>
  command.addHelpText('after', ({ command: shown, error }) => {
    const output = shown.configureOutput();
    const hasColours = error ? output.getErrHasColors?.() : output.getOutHasColors?.();
    const paint = createPaint(hasColours ?? false);
    const width = Math.max(...lines.map(([left]) => left.length));
    const body = lines.map(([left, right]) => `  ${padEnd(left, width)}  ${paint.dim(right)}`);
    return ['', paint.bold(`${title}:`), ...body.map((line) => line.trimEnd())].join('\n');
  });

export const addExamples = (command: Command, examples: HelpLines): Command =>
  addHelpSection(command, 'Examples', examples);
