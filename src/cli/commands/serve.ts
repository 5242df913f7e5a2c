import type { Command } from 'commander';
import { z } from 'zod';
import type { CliContext } from '../cli-context.js';
import { addExamples } from '../help.js';
import { parseWholeNumber } from '../parse-argument.js';

const Options = z.object({
  host: z.string().optional(),
  port: z.number().optional(),
  dataDir: z.string().optional(),
});

export const addServeCommand = (program: Command, context: CliContext): void => {
  const serve = program
    .command('serve')
    .summary('start the gateway')
    .description(
      'Start the gateway and run until Ctrl-C or SIGTERM. Without any configuration it uses an ' +
        'embedded database in ./.rollgate and listens on http://127.0.0.1:8080. It is ready when ' +
        '/readyz returns 200.',
    )
    .option('--host <address>', 'address to listen on (default: the setting host, or 127.0.0.1)')
    .option(
      '--port <number>',
      'port to listen on; 0 for a random free port (default: the setting port, or 8080)',
      parseWholeNumber(0, 65_535),
    )
    .option(
      '--data-dir <folder>',
      'folder of the embedded database and the admin token (default: the setting dataDir, or .rollgate)',
    )
    .action(async () => {
      const { host, port, dataDir } = Options.parse(serve.opts());
      // Imported here, so that other commands do not load the database driver.
      const { serve: start } = await import('../../start/serve.js');
      await start({
        cwd: context.cwd,
        env: {
          ...context.env,
          ...(host !== undefined && { ROLLGATE_HOST: host }),
          ...(port !== undefined && { ROLLGATE_PORT: String(port) }),
          ...(dataDir !== undefined && { ROLLGATE_DATA_DIR: dataDir }),
        },
      });
    });
  addExamples(serve, [
    ['rollgate serve', 'with an embedded database'],
    ['rollgate serve --port 9090 --data-dir /var/lib/rollgate', 'another port and data folder'],
    ['rollgate serve --config deploy/rollgate.yaml', 'with a settings file'],
  ]);
};
