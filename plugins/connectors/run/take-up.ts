import type { RunRecord, TakeUp } from './run-record.js';

const MAX_DEATHS = 2;

/**
 * An instance continues the run. What was taken up by another one and not handed back has ended with
 * it: with its process, or for so long that its lease was over.
 */
export const takeUpBy = (instance: string, run: RunRecord): TakeUp => {
  const { takenUp } = run;
  if (!takenUp) return { instance, diedAt: null, deaths: 0 };
  if (takenUp.instance === instance) return takenUp;
  const diedAt = placeOf(run);
  return { instance, diedAt, deaths: takenUp.diedAt === diedAt ? takenUp.deaths + 1 : 1 };
};

/** What the source sent ends gateways there: trying again would end the next one. */
export const isDeadly = (run: RunRecord, { deaths }: TakeUp): boolean =>
  deaths >= MAX_DEATHS && (run.state === 'reading' || run.state === 'planning');

const placeOf = ({ state, checkpoint }: RunRecord): string =>
  `${state} after ${checkpoint?.read ?? 0} records`;
