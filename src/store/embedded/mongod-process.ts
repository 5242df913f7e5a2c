import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  MongoInstance,
  MongoInstanceEvents,
} from 'mongodb-memory-server-core/lib/util/MongoInstance.js';
import type { MongodBinary } from './mongod-binary.js';
import { mongodOptions } from './mongod-options.js';

export interface MongodPlace {
  readonly binary: MongodBinary;
  readonly dataDir: string;
  readonly dbPath: string;
  readonly port: number;
}

export const REPLICA_SET = 'rollgate';
export const HOST = '127.0.0.1';

/** A crash may leave a journal that takes its time. */
const LAUNCH_MS = 60_000;
const LOG_LIMIT = 16 * 1024 * 1024;

/**
 * One mongod process. Not the library's replica-set class: that one makes a new set at each start
 * and cannot take up an old data folder at another port, so replica-set.ts does that part.
 *
 * The process gets a session of its own, for Ctrl-C goes to everything in the terminal's
 * foreground group and the gateway must drain before its database ends. Should the gateway be
 * killed, the library's watchdog, detached as well, ends mongod within 2 s.
 */
export const startMongodProcess = async (place: MongodPlace): Promise<MongoInstance> => {
  const log = await openLog(join(place.dataDir, 'mongod.log'));
  const instance = new LoggingInstance(place, log);
  instance.once(MongoInstanceEvents.instanceClosed, () => log.end());
  await instance.start();
  return instance;
};

/** Hands the output on line by line; the library looks at chunks, wherever they are cut. */
class LoggingInstance extends MongoInstance {
  private rest = '';

  constructor(
    { binary, dbPath, port }: MongodPlace,
    private readonly log: WriteStream,
  ) {
    super({
      binary: { systemBinary: binary.path, version: binary.version },
      instance: {
        dbPath,
        port,
        ip: HOST,
        replSet: REPLICA_SET,
        storageEngine: 'wiredTiger',
        launchTimeout: LAUNCH_MS,
        args: [...mongodOptions()],
      },
      spawn: { detached: true },
    });
  }

  override stdoutHandler(message: string | Buffer): void {
    this.log.write(message);
    const lines = (this.rest + message.toString()).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) super.stdoutHandler(line);
  }

  override stderrHandler(message: string | Buffer): void {
    this.log.write(message);
    super.stderrHandler(message);
  }
}

/** One old log is kept. */
const openLog = async (path: string): Promise<WriteStream> => {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT) await rename(path, `${path}.old`);
  return createWriteStream(path, { flags: 'a', mode: 0o600 });
};
