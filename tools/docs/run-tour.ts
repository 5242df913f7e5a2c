import { readFile, writeFile } from 'node:fs/promises';
import { runWithCleanup, temporaryFolder } from '../shared/cleanup.js';
import { startDatabase } from '../shared/start-database.js';
import { BEFORE_GUIDES, GUIDES, type RunCommand, runPages, TOUR } from './run-pages.js';
import { isCut, toShow } from './shown-commands.js';

const urlOf = (page: string): URL => new URL(`../../${page}`, import.meta.url);

const write = async ({ page, output = '', printed }: RunCommand): Promise<void> => {
  const text = await readFile(urlOf(page), 'utf8');
  await writeFile(
    urlOf(page),
    text.replace(output, () => toShow(printed)),
  );
};

/** `npm run tour`: runs the commands of README, tour and guides, and writes outputs that have changed. */
process.exitCode = await runWithCleanup(console.log, async (cleanup) => {
  const { uriOf } = await startDatabase(cleanup);
  const runs = [
    ...(await runPages(
      TOUR,
      { mongodbUri: uriOf('tour'), folder: await temporaryFolder('tour', cleanup) },
      cleanup,
    )),
    ...(await runPages(
      GUIDES,
      {
        mongodbUri: uriOf('guides'),
        folder: await temporaryFolder('guides', cleanup),
        before: BEFORE_GUIDES,
      },
      cleanup,
    )),
  ];
  const failed = runs.filter(({ exitCode }) => exitCode !== 0);
  for (const { page, command, printed } of failed) console.log(`${page}: ${command}${printed}`);
  const stale = runs.filter((run) => !run.isAsShown && run.exitCode === 0);
  // What differs from run to run is cut by hand, and would be back.
  const cut = stale.filter(({ output = '' }) => isCut(output));
  for (const { page, command, printed } of cut)
    console.log(`${page}: edit the output of ${command}${printed}`);
  // All outputs of a page have the ids and times of one run.
  const pages = new Set(stale.map(({ page }) => page));
  for (const run of runs.filter(({ page }) => pages.has(page)))
    if (run.output !== undefined && !isCut(run.output)) await write(run);
  return failed.length === 0 && cut.length === 0 ? 0 : 1;
});
