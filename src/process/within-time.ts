/**
 * The result of the work, or a rejection when it takes longer than this; the work itself continues.
 * `late`: the error of that rejection.
 */
export const withinTime = async <Result>(
  milliseconds: number,
  work: () => Promise<Result>,
  late = () => new Error(`It took longer than ${milliseconds / 1_000} s.`),
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
};
