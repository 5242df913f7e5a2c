import type { Readable } from 'node:stream';

/** A file of a folder. */
export interface FileEntry {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** A folder on this machine or on a server. Paths are relative to it; errors are SourceErrors. */
export interface Folder {
  /** For messages. */
  readonly title: string;
  /** The files in it, or in a folder of it; none if that does not exist. */
  readonly list: (subfolder?: string) => Promise<readonly FileEntry[]>;
  readonly read: (path: string) => Promise<Readable>;
  readonly makeFolder: (name: string) => Promise<void>;
  readonly move: (from: string, to: string) => Promise<void>;
  /** Whether its clock is the gateway's: else only changes of its times mean something. */
  readonly hasOurClock: boolean;
  readonly close: () => Promise<void>;
}
