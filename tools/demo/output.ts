import { padEnd, padStart, printable, type Paint } from '../../src/cli/terminal-text.js';

export interface PrintedRequest {
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What the response says, in a few words. */
  readonly outcome: string;
}

export interface PrintedDelivery {
  readonly event: string;
  readonly subject: string;
  readonly seq: number | null;
  readonly deliveryId: string;
  readonly ms: number;
  readonly isVerified: boolean;
}

/** Prints the demo in lines of at most 110 columns. */
export interface Output {
  readonly paint: Paint;
  readonly line: (text?: string) => void;
  readonly section: (title: string, description: string) => void;
  readonly request: (request: PrintedRequest) => void;
  readonly delivery: (delivery: PrintedDelivery) => void;
  /** What happens outside of the gateway. */
  readonly note: (who: string, text: string) => void;
  readonly problem: (text: string) => void;
}

const PATH_WIDTH = 42;

export const createOutput = (write: (text: string) => void, paint: Paint): Output => {
  const { bold, cyan, dim, green, red, yellow } = paint;
  const line = (text = ''): void => write(`${text.trimEnd()}\n`);
  const formatStatus = (status: number): string => {
    const text = String(status);
    return status < 300 ? green(text) : status < 500 ? yellow(text) : red(text);
  };
  return {
    paint,
    line,
    section: (title, description) => line(`\n${bold(title)}: ${dim(description)}`),
    request: ({ client, method, path, status, ms, outcome }) => {
      const request = `${padEnd(client, 8)} ${padEnd(method, 6)} ${padEnd(shorten(path), PATH_WIDTH)}`;
      const response = `${formatStatus(status)} ${dim(padStart(`${ms} ms`, 7))}`;
      line(`  ${request} ${response}  ${printable(outcome)}`);
    },
    delivery: ({ event, subject, seq, deliveryId, ms, isVerified }) => {
      const signature = isVerified ? green('✔ signed') : red('✘ NOT VERIFIED');
      const what = `${cyan(padEnd(event, 19))} ${padEnd(printable(subject), 16)}`;
      const place = padEnd(seq === null ? 'no seq' : `seq ${seq}`, 7);
      const details = `${place}  ${deliveryId.slice(0, 8)} ${padStart(`${ms} ms`, 8)}`;
      line(`  ${dim(padEnd('webhook', 8))} ${what}  ${dim(details)}  ${signature}`);
    },
    note: (who, text) => line(`  ${padEnd(who, 8)} ${printable(text)}`),
    problem: (text) => line(`  ${red(`✘ ${text}`)}`),
  };
};

const UUID = /([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const shorten = (path: string): string => {
  const short = path.replace(UUID, '$1…');
  return short.length <= PATH_WIDTH ? short : `${short.slice(0, PATH_WIDTH - 1)}…`;
};
