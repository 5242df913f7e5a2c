/** A line for whoever runs a script. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const MOST_TOLD = 20;

/** What was lost or done twice; or that nothing was. */
export const tellProblems = (problems: readonly string[]): void => {
  for (const problem of problems.slice(0, MOST_TOLD)) say(`  ✘ ${problem}`);
  if (problems.length > MOST_TOLD) say(`  ✘ and ${problems.length - MOST_TOLD} more`);
  if (problems.length === 0) say('  ✔ Nothing lost, nothing done twice.');
};
