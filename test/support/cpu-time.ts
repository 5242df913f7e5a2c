/**
 * Milliseconds of processor time that this process has used. For tests that bound the cost of
 * hostile input: unlike the clock on the wall, it does not run faster while other tests compete.
 */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
