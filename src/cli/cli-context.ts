import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { programHint } from '../process/program.js';
import type { Plugin } from '../start/load-extensions.js';
import { EXIT } from './cli-error.js';
import { hasColours } from './terminal-text.js';

/** Standard output or standard error. */
export interface Output {
  readonly write: (text: string) => void;
  readonly hasColours: boolean;
  readonly isTerminal?: boolean;
  /** Columns of the terminal; 80 if it is none. */
  readonly width: number;
}

/** Everything outside the process that a command uses; tests pass their own. */
export interface CliContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly now: () => Date;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  /** The enabled plugins; default: those of the configuration. */
  readonly plugins?: readonly Plugin[];
  /** Results, which scripts read. */
  readonly stdout: Output;
  /** Notes, questions and errors. */
  readonly stderr: Output;
  /** Asks on the terminal; undefined if there is none. Rejects if the terminal is closed. */
  readonly ask: ((question: string, isHidden?: boolean) => Promise<string>) | undefined;
  /** The first line of standard input; empty if there is none. */
  readonly readLine: () => Promise<string>;
  /** Aborts on Ctrl-C; from the call on, that no longer ends the process. */
  readonly interruption: () => AbortSignal;
}

/** The text with commands as this one was called: `bin/rollgate …`. */
export const asCalled = (text: string, { env, cwd }: Pick<CliContext, 'env' | 'cwd'>): string => {
  const command = programHint({ env, cwd, program: process.argv[1] });
  return text.replaceAll(
    /(^|[\s"(])rollgate (?=[a-z<-])/gm,
    (_text, before: string) => `${before}${command} `,
  );
};

const outputTo = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe: `rollgate tenant list | head -1`.
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error: Cannot write the output (${error.code}).\n`);
    process.exit(EXIT.failed);
  });
  return {
    write: (text) => void stream.write(text),
    hasColours: hasColours(stream, env),
    isTerminal: stream.isTTY,
    width: stream.isTTY ? stream.columns : 80,
  };
};

/** Asks on standard error, because standard output may go to a file. */
const askOnTerminal = async (question: string, isHidden = false): Promise<string> => {
  // What is typed is shown by the interface, not by the terminal.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? silent : process.stderr;
  if (isHidden) process.stderr.write(question);
  const line = createInterface({
    ...{ input: process.stdin, output },
    ...(isHidden && { terminal: true }),
  });
  const closed = new AbortController();
  line.once('close', () => closed.abort());
  try {
    return await line.question(question, { signal: closed.signal });
  } finally {
    line.close();
    if (isHidden) process.stderr.write('\n');
  }
};

const readLine = async (): Promise<string> => {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
};

/** A second Ctrl-C ends the process at once. */
const interruption = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort());
  return controller.signal;
};

export const processContext = (): CliContext => ({
  env: process.env,
  cwd: process.cwd(),
  now: () => new Date(),
  elapsed: () => performance.now(),
  stdout: outputTo(process.stdout, process.env),
  stderr: outputTo(process.stderr, process.env),
  ask: process.stdin.isTTY ? askOnTerminal : undefined,
  readLine,
  interruption,
});
