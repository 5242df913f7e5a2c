/** `>=20.19 <21 || >=22.12`: the part of npm's range syntax that package.json uses. */
export const isInRange = (version: string, range: string): boolean =>
  range.split('||').some((alternative) =>
    alternative
      .trim()
      .split(/\s+/)
      .every((bound) => holds(version, bound)),
  );

const BOUND = /^(>=|<)(\d+(?:\.\d+){0,2})$/;

const holds = (version: string, bound: string): boolean => {
  const [, operator, limit] = BOUND.exec(bound) ?? [];
  if (operator === undefined || limit === undefined)
    throw new Error(`Unsupported version bound "${bound}"`);
  const difference = compare(version, limit);
  return operator === '>=' ? difference >= 0 : difference < 0;
};

const compare = (one: string, other: string): number => {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  const place = [0, 1, 2].find((index) => left[index] !== right[index]);
  return place === undefined ? 0 : (left[place] ?? 0) - (right[place] ?? 0);
};

/** A pre-release counts as its release. */
const numbersOf = (version: string): readonly number[] => {
  const [release = ''] = version.split('-', 1);
  return [...release.split('.').map(Number), 0, 0].slice(0, 3);
};
