/** The known name closest to the given one, if any is close enough to be meant. */
export const nearestName = (given: string, known: readonly string[]): string | undefined => {
  const near = known
    .map((name) => ({ name, distance: nameDistance(given, name) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name;
};

/** How far the known name is from the given one; Infinity if it cannot be meant. */
export const nameDistance = (given: string, known: string): number => {
  const maxDistance = Math.max(1, Math.floor(given.length / 3));
  if (Math.abs(given.length - known.length) > maxDistance) return Infinity;
  const distance = editDistance(given.toLowerCase(), known.toLowerCase());
  return distance <= maxDistance ? distance : Infinity;
};

/** The number of insertions, deletions, substitutions and transpositions (Damerau-Levenshtein). */
const editDistance = (one: string, other: string): number => {
  let previousRow: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwap(one, other, i, j) ? at(previousRow, j - 2) + 1 : Infinity,
      );
    }
    previousRow = row;
    row = next;
  }
  return at(row, other.length);
};

const isSwap = (one: string, other: string, i: number, j: number): boolean =>
  i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
