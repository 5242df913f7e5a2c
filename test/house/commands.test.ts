import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { withDefaultCommand } from '../../src/cli/completions.js';
import { createProgram } from '../../src/cli/program.js';
import { parseShellLine } from '../../src/cli/commands/completion.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SKIPPED = ['node_modules', 'dist', 'coverage', 'results', 'test'];

const documentsIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return path.endsWith('.md') ? [path] : [];
    return entry.name.startsWith('.') || SKIPPED.includes(entry.name) ? [] : documentsIn(path);
  });

/** What a document shows in a block of code, or names within a sentence. */
interface Shown {
  readonly line: string;
  readonly isBlock: boolean;
}

/** What an export of the log signs. */
const SIGNED = 'audit 1';
const BLOCK = /^```(?:sh|console|bash|text)?\n([\s\S]*?)^```/gm;
const COMMAND = /(?:^|[|&;(] *|\$ )(?:npx )?rollgate (.*)/;

const commandsIn = (text: string): readonly Shown[] => {
  const blocks = [...text.matchAll(BLOCK)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  const sentences = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const inline = [...sentences.matchAll(/`([^`\n]*\brollgate [^`\n]*)`/g)].map(
    ([, one = '']) => one,
  );
  const find = (lines: readonly string[], isBlock: boolean): readonly Shown[] =>
    lines.flatMap((line) => {
      const [, rest] = COMMAND.exec(line) ?? [];
      return rest === undefined || rest === SIGNED ? [] : [{ line: rest, isBlock }];
    });
  return [...find(blocks, true), ...find(inline, false)];
};

/** Up to a comment, a pipe or a redirection. */
const wordsOf = (line: string): readonly string[] =>
  parseShellLine(line.replace(/\s(#|[|>&;]).*$/, '').replace(/\)$/, ''), '').words.filter(
    (word) => word !== '',
  );

const context = {
  env: {},
  cwd: '/nowhere',
  now: () => new Date(),
  elapsed: () => 0,
  plugins: BUILT_IN_PLUGINS,
  stdout: { write: () => undefined, hasColours: false, width: 100 },
  stderr: { write: () => undefined, hasColours: false, width: 100 },
  ask: undefined,
  readLine: () => Promise.resolve(''),
  interruption: () => new AbortController().signal,
};

const disarm = (command: Command): void => {
  command.action(() => undefined);
  command.commands.forEach(disarm);
};

/** The command that these words begin with, and how many words its name has. */
const find = (program: Command, words: readonly string[]) => {
  let command = program;
  let length = 0;
  for (const word of words) {
    const child = command.commands.find(
      (one) => one.name() === word || one.aliases().includes(word),
    );
    if (!child) break;
    command = child;
    length += 1;
  }
  return { command, length };
};

/** What the command line would say about it; undefined: nothing. */
const faultOf = ({ line, isBlock }: Shown): string | undefined => {
  const program = createProgram(context);
  const words = wordsOf(line);
  const { command, length } = find(program, words);
  // A sentence may name a command without its arguments, or leave some out.
  if (!isBlock && length > 0 && words.length === length) return undefined;
  if (words.includes('…')) {
    const flags = words.filter((word) => word.startsWith('--'));
    const known = [...command.options, ...program.options].map(({ long }) => long);
    return length > 0 && flags.every((flag) => known.includes(flag)) ? undefined : 'unknown';
  }
  disarm(program);
  try {
    program.parse(withDefaultCommand(program, words), { from: 'user' });
    return undefined;
  } catch (error) {
    const { message, exitCode } = error as { message: string; exitCode?: number };
    return exitCode === 0 ? undefined : message;
  }
};

const DOCUMENTS = documentsIn('.')
  .map((document) => [document, commandsIn(readFileSync(join(ROOT, document), 'utf8'))] as const)
  .filter(([, shown]) => shown.length > 0);

describe.each(DOCUMENTS)('%s', (_document, shown) => {
  it('shows commands that the command line accepts', () => {
    const faults = shown.flatMap((one) => {
      const fault = faultOf(one);
      return fault === undefined ? [] : [`rollgate ${one.line}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});
