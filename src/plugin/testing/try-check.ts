import type { Plugin } from '../contract/contract.js';
import type { CheckResult, DoctorCheckContext } from '../contract/doctor-check.js';

/** The context of a doctor check in a test. */
export type CheckTry = Partial<Omit<DoctorCheckContext, 'settings'>> & {
  /** As in the configuration; `{}` if absent. */
  readonly settings?: unknown;
};

/** Runs a check of a plugin; absent parts of its context fail or are empty. */
export const tryCheck = async (
  { name, doctor = [], settings: schema }: Plugin,
  check: string,
  { settings, ...context }: CheckTry = {},
): Promise<CheckResult> => {
  const found = doctor.find((one) => one.name === check);
  if (!found) throw new Error(`The plugin ${name} has no check "${check}".`);
  return found.run({
    section: name,
    cwd: process.cwd(),
    now: () => new Date(),
    elapsed: () => performance.now(),
    egress: undefined,
    resolve: () => Promise.reject(new Error('No name is resolved in this test.')),
    connect: () =>
      Promise.resolve({
        ok: false,
        durationMs: 1,
        fault: 'connect',
        message: 'No connection is made in this test.',
      }),
    ...context,
    settings: schema?.parse(settings ?? {}) ?? {},
  });
};
