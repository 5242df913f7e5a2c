import { readFile, stat } from 'node:fs/promises';

/** How long it is not looked whether a file has changed. */
const CHECK_MS = 1_000;

/**
 * The content of a system file, read again when it has changed. A missing file is empty; if it
 * cannot be read at the moment, the previous content is returned.
 */
export const createWatchedFile = <Content>(
  path: string,
  parse: (text: string) => Content,
  now: () => number = () => performance.now(),
): (() => Promise<Content>) => {
  let content = parse('');
  let state = 'absent';
  let checkedAt = -Infinity;
  let refreshing: Promise<Content> | undefined;

  const refresh = async (): Promise<Content> => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const seen = `${mtimeMs} ${size} ${ino}`;
      if (seen !== state) content = parse(await readFile(path, 'utf8'));
      state = seen;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        content = parse('');
        state = 'absent';
      }
    }
    return content;
  };

  return () => {
    if (refreshing) return refreshing;
    if (now() - checkedAt < CHECK_MS) return Promise.resolve(content);
    refreshing = refresh().finally(() => {
      checkedAt = now();
      refreshing = undefined;
    });
    return refreshing;
  };
};
