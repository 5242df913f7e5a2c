import type { Command } from 'commander';
import { z } from 'zod';
import { addExamples } from '../help.js';
import { parseWholeNumber } from '../parse-argument.js';
import type { World } from '../world.js';

const Options = z.object({
  config: z.string().optional(),
  host: z.string().optional(),
  port: z.number().optional(),
  dataDir: z.string().optional(),
});

export const addServeCommand = (program: Command, world: World): void => {
  const serve = program
    .command('serve')
    .summary('start the gateway')
    .description(
      'Starts the gateway and runs until it is told to stop (Ctrl-C, SIGTERM). Without any ' +
        'configuration it keeps a database of its own in ./.rollgate and listens on ' +
        'http://127.0.0.1:8080. Ready when /readyz answers 200.',
    )
    .option('--config <file>', 'the settings file; else ROLLGATE_CONFIG, config/rollgate.yaml')
    .option('--host <address>', 'the address to listen on')
    .option('--port <number>', 'the port to listen on; 0: a free one', parseWholeNumber(0, 65_535))
    .option('--data-dir <folder>', 'where the embedded database and the admin token are kept')
    .action(async () => {
      const { config, host, port, dataDir } = Options.parse(serve.opts());
      // Loaded here: no other command needs a database driver to start.
      const { serve: start } = await import('../../serve.js');
      await start({
        cwd: world.cwd,
        env: {
          ...world.env,
          ...(host !== undefined && { ROLLGATE_HOST: host }),
          ...(port !== undefined && { ROLLGATE_PORT: String(port) }),
          ...(dataDir !== undefined && { ROLLGATE_DATA_DIR: dataDir }),
        },
        ...(config !== undefined && { configPath: config }),
      });
    });
  addExamples(serve, [
    ['rollgate serve', 'for a first look'],
    ['rollgate serve --port 9090 --data-dir /var/lib/rollgate', 'its data elsewhere'],
    ['rollgate serve --config deploy/rollgate.yaml', 'with settings'],
  ]);
};
