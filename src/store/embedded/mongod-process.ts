import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import {
  MongoInstance,
  MongoInstanceEvents,
} from 'mongodb-memory-server-core/lib/util/MongoInstance.js';
import { withinTime } from '../../process/timers.js';
import type { MongodBinary } from './mongod-source.js';
import { HOST, mongodOptions, REPLICA_SET } from './mongod-settings.js';

export interface MongodSettings {
  readonly binary: MongodBinary;
  readonly dataDir: string;
  readonly dbPath: string;
  readonly keyFile: string;
  readonly port: number;
}

export interface MongodProcess {
  /** Resolves when it has exited, for any reason. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Recovery of the journal after a crash may take long. */
const LAUNCH_MS = 60_000;
const STOP_MS = 15_000;
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Starts one mongod process. Not by the library's replica-set class, which creates a new set at
 * each start and cannot reuse a data folder on another port; start-primary.ts does that part.
 *
 * The process gets a session of its own: Ctrl-C is sent to the terminal's whole foreground group,
 * and the gateway must drain before its database exits. If the gateway is killed, a watchdog,
 * detached as well, stops mongod at once.
 */
export const startMongodProcess = async (settings: MongodSettings): Promise<MongodProcess> => {
  const log = await openLog(join(settings.dataDir, 'mongod.log'));
  const instance = new LoggingInstance(settings, log);
  const ended = new Promise<void>((resolve) => {
    instance.once(MongoInstanceEvents.instanceClosed, () => resolve(void log.end()));
  });
  await instance.start();
  return { ended, stop: () => stopInstance(instance, ended) };
};

/**
 * Passes the output to the library line by line; the library expects whole lines and gets arbitrary
 * chunks.
 */
class LoggingInstance extends MongoInstance {
  #rest = '';
  readonly #log: WriteStream;

  constructor(settings: MongodSettings, log: WriteStream) {
    super(instanceOptions(settings));
    this.#log = log;
  }

  /**
   * The library shuts a set down through a connection, which needs a password, and takes five
   * seconds if mongod is exiting already. A signal has the same effect, so the library treats it as
   * standalone.
   */
  override prepareCommandArgs(): string[] {
    const args = super.prepareCommandArgs();
    this.isReplSet = false;
    return args;
  }

  /**
   * The library's watchdog checks every 2 s whether our process id is in use. In a container whose
   * first process does not reap orphans it always is, so mongod and the watchdog stayed after every
   * kill. Ours waits for the end of a pipe, which the system closes with this process. Without
   * `sh`, the library's.
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

const instanceOptions = ({ binary, dbPath, keyFile, port }: MongodSettings) => ({
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

/**
 * Waits for an orderly shutdown, which takes as long as a checkpoint; then the library cleans up,
 * by force if necessary.
 */
const stopInstance = async (instance: MongoInstance, ended: Promise<void>): Promise<void> => {
  instance.mongodProcess?.kill('SIGTERM');
  await withinTime(STOP_MS, () => ended).catch(() => undefined);
  await instance.stop();
};

/**
 * Keeps one old log. A log that cannot be written, as on a full disk, must not stop the gateway.
 */
const openLog = async (path: string): Promise<WriteStream> => {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.old`);
  return createWriteStream(path, { flags: 'a', mode: 0o600 }).on('error', () => undefined);
};
