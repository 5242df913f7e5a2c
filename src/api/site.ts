/** Static files and pages of an extension, under an address of their own. They need no key. */
export interface Site {
  /** The first segment of their addresses: `/dashboard`. */
  readonly at: string;
  /** The folder whose files are served; `index.html` answers for a folder. Hidden files are not. */
  readonly folder?: string | URL;
  /** A file of the folder for addresses that nothing else answers: of a single-page application. */
  readonly fallback?: string;
  /** Pages that are made on request, by their path below `at`: `/` or `/report`. */
  readonly pages?: Readonly<Record<string, (request: PageRequest) => Page | Promise<Page>>>;
  /** Content-Security-Policy. Absent: everything from the own origin only, nothing inline. */
  readonly policy?: string;
}

export interface PageRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly requestId: string;
}

export interface Page {
  readonly status?: number;
  /** Absent: `text/html; charset=utf-8`. */
  readonly type?: string;
  readonly body: string | Uint8Array;
}
