import type { ChildProcess } from 'node:child_process';

/** Listens to a process; answers with the last of what it said. */
export const collectWords = ({ stdout, stderr }: ChildProcess): (() => string) => {
  const words: string[] = [];
  for (const stream of [stdout, stderr])
    stream?.on('data', (chunk) => {
      words.push(String(chunk));
      if (words.length > 50) words.shift();
    });
  return () => words.join('').trimEnd();
};
