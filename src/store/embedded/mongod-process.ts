import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import {
  MongoInstance,
  MongoInstanceEvents,
} from 'mongodb-memory-server-core/lib/util/MongoInstance.js';
import type { MongodBinary } from './mongod-binary.js';
import { HOST, mongodOptions, REPLICA_SET } from './mongod-options.js';

export interface MongodPlace {
  readonly binary: MongodBinary;
  readonly dataDir: string;
  readonly dbPath: string;
  readonly keyFile: string;
  readonly port: number;
}

export interface MongodProcess {
  /** Resolves when it is gone, in order or not. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A crash may leave a journal that takes its time. */
const LAUNCH_MS = 60_000;
const STOP_MS = 15_000;
const LOG_LIMIT = 16 * 1024 * 1024;

/**
 * One mongod process. Not the library's replica-set class: that one makes a new set at each start
 * and cannot take up an old data folder at another port, so replica-set.ts does that part.
 *
 * The process gets a session of its own, for Ctrl-C goes to everything in the terminal's
 * foreground group and the gateway must drain before its database ends. Should the gateway be
 * killed, a watchdog, detached as well, ends mongod at once.
 */
export const startMongodProcess = async (place: MongodPlace): Promise<MongodProcess> => {
  const log = await openLog(join(place.dataDir, 'mongod.log'));
  const instance = new LoggingInstance(place, log);
  const ended = new Promise<void>((resolve) => {
    instance.once(MongoInstanceEvents.instanceClosed, () => resolve(void log.end()));
  });
  await instance.start();
  return { ended, stop: () => stopInstance(instance, ended) };
};

/** Hands the output on line by line; the library looks at chunks, wherever they are cut. */
class LoggingInstance extends MongoInstance {
  #rest = '';
  readonly #log: WriteStream;

  constructor(place: MongodPlace, log: WriteStream) {
    super(instanceOptions(place));
    this.#log = log;
  }

  /**
   * A set is shut down by the library through a connection, which takes a password, and five
   * seconds where mongod is dying already. A signal does the same, so it is told there is no set.
   */
  override prepareCommandArgs(): string[] {
    const args = super.prepareCommandArgs();
    this.isReplSet = false;
    return args;
  }

  /**
   * The library's watchdog asks every 2 s whether our number is in use. In a container that does
   * not wait for orphans it always is, so mongod went on and a watchdog stayed for every kill. Ours
   * waits for the end of a pipe that the system closes with us. No `sh`: the library's.
   */
  override _launchKiller(parentPid: number, mongodPid: number): ChildProcess {
    if (process.platform === 'win32') return super._launchKiller(parentPid, mongodPid);
    const watchdog = spawn('sh', ['-c', 'read -r _; kill "$0"', String(mongodPid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    watchdog.once('error', () => {
      this.killerProcess = super._launchKiller(parentPid, mongodPid);
    });
    this.mongodProcess?.once('exit', () => watchdog.kill());
    if (watchdog.stdin instanceof Socket) watchdog.stdin.unref();
    watchdog.unref();
    return watchdog;
  }

  override stdoutHandler(message: string | Buffer): void {
    this.#log.write(message);
    const lines = (this.#rest + message.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) super.stdoutHandler(line);
  }

  override stderrHandler(message: string | Buffer): void {
    this.#log.write(message);
    super.stderrHandler(message);
  }
}

const instanceOptions = ({ binary, dbPath, keyFile, port }: MongodPlace) => ({
  binary: { systemBinary: binary.path, version: binary.version },
  instance: {
    dbPath,
    port,
    ip: HOST,
    replSet: REPLICA_SET,
    storageEngine: 'wiredTiger' as const,
    auth: true,
    keyfileLocation: keyFile,
    launchTimeout: LAUNCH_MS,
    args: [...mongodOptions()],
  },
  spawn: { detached: true },
});

/** In order, which may take the last checkpoint's time; then the library clears up, by force if need be. */
const stopInstance = async (instance: MongoInstance, ended: Promise<void>): Promise<void> => {
  instance.mongodProcess?.kill('SIGTERM');
  await Promise.race([ended, patience()]);
  await instance.stop();
};

const patience = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, STOP_MS).unref());

/** One old log is kept. A log that cannot be written, as on a full disk, must not end the gateway. */
const openLog = async (path: string): Promise<WriteStream> => {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT) await rename(path, `${path}.old`);
  return createWriteStream(path, { flags: 'a', mode: 0o600 }).on('error', () => undefined);
};
