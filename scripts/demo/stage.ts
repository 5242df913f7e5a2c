import { padEnd, padStart, printable } from '../../src/cli/display-width.js';
import { createPaint, hasColours, type Paint } from '../../src/cli/paint.js';

/** A request that was answered. */
export interface ShownRequest {
  readonly who: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What came of it, in a few words. */
  readonly outcome: string;
}

/** A webhook that came. */
export interface ShownDelivery {
  readonly event: string;
  readonly about: string;
  readonly seq: number | null;
  readonly deliveryId: string;
  readonly ms: number;
  readonly isVerified: boolean;
}

/** Where the demo is told: plain lines of less than a hundred columns, coloured on a terminal. */
export interface Stage {
  readonly paint: Paint;
  readonly line: (text?: string) => void;
  readonly chapter: (title: string, what: string) => void;
  readonly request: (shown: ShownRequest) => void;
  readonly delivery: (shown: ShownDelivery) => void;
  readonly problem: (text: string) => void;
  /** Shows nothing from now on. */
  readonly close: () => void;
}

const PATH_WIDTH = 42;

export const openStage = (write: (text: string) => void, paint: Paint): Stage => {
  const { bold, cyan, dim, green, red, yellow } = paint;
  let isOpen = true;
  const line = (text = ''): void => {
    if (isOpen) write(`${text.trimEnd()}\n`);
  };
  const shownStatus = (status: number): string => {
    const text = String(status);
    return status < 300 ? green(text) : status < 500 ? yellow(text) : red(text);
  };
  return {
    paint,
    line,
    chapter: (title, what) => {
      line();
      line(`${bold(title)}  ${dim(what)}`);
    },
    request: ({ who, method, path, status, ms, outcome }) => {
      const time = padStart(`${ms} ms`, 7);
      const asked = `${padEnd(method, 6)} ${padEnd(shorten(path), PATH_WIDTH)}`;
      line(
        `  ${padEnd(who, 8)} ${asked} ${shownStatus(status)} ${dim(time)}  ${printable(outcome)}`,
      );
    },
    delivery: ({ event, about, seq, deliveryId, ms, isVerified }) => {
      const sign = isVerified ? green('✔ signed') : red('✘ NOT VERIFIED');
      const named = `${cyan(padEnd(event, 16))} ${padEnd(printable(about), 16)}`;
      const place = padEnd(seq === null ? 'no seq' : `seq ${seq}`, 7);
      const rest = `${place}  ${deliveryId.slice(0, 8)} ${padStart(`${ms} ms`, 8)}`;
      line(`  ${dim(padEnd('webhook', 8))} ${named}  ${dim(rest)}  ${sign}`);
    },
    problem: (text) => line(`  ${red(`✘ ${text}`)}`),
    close: () => void (isOpen = false),
  };
};

export const stageOnStandardOutput = (): Stage =>
  openStage(
    (text) => void process.stdout.write(text),
    createPaint(hasColours(process.stdout, process.env)),
  );

const UUID = /([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const shorten = (path: string): string => {
  const short = path.replace(UUID, '$1…');
  return short.length <= PATH_WIDTH ? short : `${short.slice(0, PATH_WIDTH - 1)}…`;
};
