/** What the work comes to, or a rejection when it takes longer than this; the work itself goes on. */
export const withinTime = async <Result>(
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`It took longer than ${milliseconds / 1_000} s.`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
};
