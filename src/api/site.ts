/** Static files and pages of an extension, below a path of its own. They need no API key. */
export interface Site {
  /** The first segment of their paths: `/dashboard`. */
  readonly at: string;
  /** The folder to serve, with `index.html` for subfolders and without hidden files. */
  readonly folder?: string | URL;
  /** A file of the folder for all other paths, for a single-page application. */
  readonly fallback?: string;
  /** Pages generated on request, by their path below `at`: `/` or `/report`. */
  readonly pages?: Readonly<Record<string, (request: PageRequest) => Page | Promise<Page>>>;
  /** Whether `/` redirects here. */
  readonly isHome?: boolean;
  /** Content-Security-Policy. Default: everything from this origin only, nothing inline. */
  readonly policy?: string;
}

/** A request for a generated page. */
export interface PageRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly requestId: string;
}

/** A generated page. */
export interface Page {
  readonly status?: number;
  /** Default: `text/html; charset=utf-8`. */
  readonly type?: string;
  readonly body: string | Uint8Array;
}
