import { createInterface } from 'node:readline/promises';
import { hasColours } from './paint.js';

/** One of the two places to write to. */
export interface Outlet {
  readonly write: (text: string) => void;
  readonly hasColours: boolean;
  /** A terminal, not a file or a pipe. */
  readonly isTerminal?: boolean;
  /** Columns of the terminal; 80 where it is none. */
  readonly width: number;
}

/** What the command may see and touch of the world, so that tests can give it a small one. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly now: () => Date;
  /** Milliseconds since some moment: for how long things take. */
  readonly elapsed: () => number;
  /** Results: what a script reads. */
  readonly out: Outlet;
  /** What is said to people: notes, questions, errors. */
  readonly notes: Outlet;
  /** Asks whoever sits there; undefined where nobody does. Rejects when he goes away. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

const outletOf = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Outlet => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it has seen enough: `rollgate tenant list | head -1`.
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    write: (text) => void stream.write(text),
    hasColours: hasColours(stream, env),
    isTerminal: stream.isTTY,
    width: stream.isTTY ? stream.columns : 80,
  };
};

/** On standard error, for standard output may go to a file. */
const askOnTerminal = async (question: string): Promise<string> => {
  const line = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  line.once('close', () => closed.abort());
  try {
    return await line.question(question, { signal: closed.signal });
  } finally {
    line.close();
  }
};

export const realWorld = (): World => ({
  env: process.env,
  cwd: process.cwd(),
  now: () => new Date(),
  elapsed: () => performance.now(),
  out: outletOf(process.stdout, process.env),
  notes: outletOf(process.stderr, process.env),
  ask: process.stdin.isTTY ? askOnTerminal : undefined,
});
