/**
 * CPU time of this process in milliseconds. For tests that limit the cost of hostile input: unlike
 * wall time, it does not depend on other tests running at the same time.
 */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
