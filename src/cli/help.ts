import type { Command } from 'commander';
import { padEnd } from './display-width.js';
import { createPaint } from './paint.js';

type Lines = readonly (readonly [string, string])[];

/** A section of the help in two columns. */
export const addHelpSection = (command: Command, title: string, lines: Lines): Command =>
  command.addHelpText('after', ({ command: asked, error }) => {
    const output = asked.configureOutput();
    const hasColours = error ? output.getErrHasColors?.() : output.getOutHasColors?.();
    const paint = createPaint(hasColours ?? false);
    const width = Math.max(...lines.map(([left]) => left.length));
    const body = lines.map(([left, right]) => `  ${padEnd(left, width)}  ${paint.dim(right)}`);
    return ['', paint.bold(`${title}:`), ...body.map((line) => line.trimEnd())].join('\n');
  });

export const addExamples = (command: Command, examples: Lines): Command =>
  addHelpSection(command, 'Examples', examples);
