import { SourceError } from '../../src/plugin/api.js';
import type { SourceClock } from '../../src/plugin/api.js';
import type { FileEntry, Folder } from './folder.js';
import type { CsvSettings } from './settings.js';

/** The file to read. */
export interface PickedFile extends FileEntry {
  /** In the folder: the archive, if a run has read it before. */
  readonly path: string;
  /** The name that it arrived with. */
  readonly original: string;
}

/** What a checkpoint remembers of its file. */
export type FileIdentity = Pick<PickedFile, 'original' | 'size' | 'modifiedAt'>;

const MARKER = '.done';
const ARCHIVED = /^\d{8}T\d{6}Z_(.+)$/;

/**
 * The newest file, in the folder or in its archive: reading the last one again shows that nothing
 * has changed. Waits until it is written.
 */
export const pickFile = async (
  folder: Folder,
  settings: CsvSettings,
  clock: SourceClock,
  signal: AbortSignal,
): Promise<PickedFile> => {
  const file = newestOf(await listFiles(folder, settings));
  if (!file) throw await noFile(folder, settings);
  requireFresh(file, settings, clock);
  const isArchived = file.path !== file.name || file.original !== file.name;
  if (settings.ready === 'settled' && !isArchived)
    await requireSettled(file, folder, { settings, clock, signal });
  return file;
};

const noFile = async (folder: Folder, { files, ready }: CsvSettings): Promise<SourceError> => {
  const isSimilar = matcher(files.toLowerCase());
  const similar = (await folder.list()).find(({ name }) => isSimilar(name.toLowerCase()));
  const marker = ready === 'marker' ? ` with a ${MARKER} file beside it` : '';
  const hint =
    similar && !matcher(files)(similar.name)
      ? `There is ${similar.name}: upper and lower case are different in \`files\`.`
      : 'Check the folder, the setting `files`, and whether the export has run.';
  return new SourceError(
    'config',
    `The folder ${folder.title} has no file ${files}${marker}. ${hint}`,
  );
};

/** The file that a read began with. */
export const findAgain = async (
  folder: Folder,
  settings: CsvSettings,
  wanted: FileIdentity,
): Promise<PickedFile> => {
  const files = await listFiles(folder, settings);
  const found = files.find((file) => isSameFile(file, wanted));
  if (found) return found;
  throw new SourceError(
    'schema',
    `File ${wanted.original} was replaced or removed while it was being read. The next run starts again.`,
  );
};

const isSameFile = (file: FileIdentity, other: FileIdentity): boolean =>
  file.original === other.original &&
  file.size === other.size &&
  file.modifiedAt === other.modifiedAt;

/** Moves a file that was read to the end, and older ones, which need not be read any more. */
export const archiveFile = async (
  folder: Folder,
  settings: CsvSettings,
  file: PickedFile,
): Promise<void> => {
  const { archive } = settings;
  if (archive === undefined) return;
  await folder.makeFolder(archive);
  const everything = new Set((await folder.list()).map(({ name }) => name));
  for (const entry of await listArrived(folder, settings)) {
    if (byAge(entry, file) < 0) continue;
    await folder.move(entry.path, `${archive}/${timestamp(entry.modifiedAt)}_${entry.name}`);
    const marker = entry.name + MARKER;
    if (everything.has(marker))
      await folder.move(marker, `${archive}/${timestamp(entry.modifiedAt)}_${marker}`);
  }
};

const newestOf = (files: readonly PickedFile[]): PickedFile | undefined =>
  files.reduce<PickedFile | undefined>(
    (newest, file) => (newest && byAge(newest, file) <= 0 ? newest : file),
    undefined,
  );

const listFiles = async (folder: Folder, settings: CsvSettings): Promise<readonly PickedFile[]> => {
  const arrived = await listArrived(folder, settings);
  const { archive } = settings;
  if (archive === undefined) return arrived;
  const isWanted = matcher(settings.files);
  const archived = (await folder.list(archive)).flatMap((entry): PickedFile[] => {
    const original = ARCHIVED.exec(entry.name)?.[1] ?? '';
    return isWanted(original) ? [{ ...entry, path: `${archive}/${entry.name}`, original }] : [];
  });
  return [...arrived, ...archived];
};

const listArrived = async (
  folder: Folder,
  { files, ready }: CsvSettings,
): Promise<readonly PickedFile[]> => {
  const isWanted = matcher(files);
  const entries = await folder.list();
  const names = new Set(entries.map(({ name }) => name));
  return entries
    .filter(({ name }) => isWanted(name) && !name.endsWith(MARKER))
    .filter(({ name }) => ready !== 'marker' || names.has(name + MARKER))
    .map((entry) => ({ ...entry, path: entry.name, original: entry.name }));
};

/** Newest first; of the same age, the last name: exports often have the date in it. */
const byAge = (a: PickedFile, b: PickedFile): number =>
  b.modifiedAt - a.modifiedAt || (a.original < b.original ? 1 : a.original > b.original ? -1 : 0);

/** A server may send longer names. */
const MAX_NAME = 255;

/** Of macOS (`._people.csv`), of uploads in progress, and of an Excel that has the file open. */
const TEMPORARY = /^(\.|~\$)/;

const matcher = (pattern: string): ((name: string) => boolean) => {
  const [first = '', ...others] = pattern
    .split(/\*+/)
    .map((part) => part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('?', '.'));
  const last = others.pop();
  // A part between two stars is taken where it comes first, and tried nowhere else: the number of
  // steps does not multiply with the stars.
  const middle = others.map((part, at) => `(?=(.*?${part}))\\${at + 1}`).join('');
  const expression = new RegExp(`^${first}${middle}${last === undefined ? '' : `.*${last}`}$`, 's');
  return (name) =>
    name.length <= MAX_NAME &&
    expression.test(name) &&
    (!TEMPORARY.test(name) || TEMPORARY.test(pattern));
};

const timestamp = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

const HOUR_MS = 3_600_000;

const requireFresh = (file: PickedFile, { maxAge }: CsvSettings, clock: SourceClock): void => {
  if (maxAge === undefined) return;
  const age = clock.now().getTime() - file.modifiedAt;
  if (age <= maxAge) return;
  throw new SourceError(
    'network',
    `The newest file, ${file.original}, is ${Math.floor(age / HOUR_MS)} hours old; \`maxAge\` is ` +
      `${maxAge / HOUR_MS} hours. Check whether the export still runs.`,
  );
};

interface Waiting {
  readonly settings: CsvSettings;
  readonly clock: SourceClock;
  readonly signal: AbortSignal;
}

const requireSettled = async (
  file: PickedFile,
  folder: Folder,
  { settings, clock, signal }: Waiting,
): Promise<void> => {
  const { settleFor } = settings;
  const age = clock.now().getTime() - file.modifiedAt;
  if (folder.hasOurClock && age >= settleFor) return;
  await clock.sleep(settleFor, signal);
  const now = (await folder.list()).find(({ name }) => name === file.name);
  if (now && now.size === file.size && now.modifiedAt === file.modifiedAt) return;
  throw new SourceError(
    'network',
    `File ${file.name} is still being written: it changed within ${settleFor / 1_000} s. The next run ` +
      'reads it.',
  );
};
