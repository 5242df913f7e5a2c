import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asApiError } from '../api/api-error.ts';
import { type Schema, counted, Button, Note } from '../ui.ts';
import type { StateWords } from './badges.tsx';
import { StateBadge } from './badges.tsx';
import { Dialog } from './dialog.tsx';
import { Gauge } from './gauge.tsx';
import { type Write } from './previewed-write.tsx';

/** Requests at once. */
const AT_ONCE = 4;
/** Results that are listed, those with problems first. */
const MAX_LISTED = 200;

type Outcome = 'changes' | 'same' | 'refused';

interface Result {
  readonly outcome: Outcome;
  /** Why it is refused. */
  readonly message?: string;
  readonly events: number;
  readonly roleChanges: number;
}

const refused = (message: string): Result => ({
  outcome: 'refused',
  message,
  events: 0,
  roleChanges: 0,
});

const resultOf = ({ status, body, events, role_change_count }: Schema<'DryRun'>): Result =>
  status >= 400
    ? refused((body as Schema<'Error'>).message)
    : {
        outcome: events.length > 0 ? 'changes' : 'same',
        events: events.length,
        roleChanges: role_change_count,
      };

/** Does it for each row, a few at once; stops when the signal aborts. */
const forEachRow = async <Row,>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const left = [...rows];
  const next = async (): Promise<void> => {
    const row = left.shift();
    if (row === undefined || signal.aborted) return;
    await work(row);
    await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
};

const WORDS: Readonly<Record<Outcome, Readonly<Record<'planned' | 'done', StateWords>>>> = {
  refused: { planned: ['warning', 'Not possible'], done: ['bad', 'Refused'] },
  changes: { planned: ['good', 'Will change'], done: ['good', 'Done'] },
  same: { planned: ['neutral', 'No change'], done: ['neutral', 'No change'] },
};

/**
 * Changes many objects: a dry run of each one says what will happen; then the changes are made, and each
 * row gets its result.
 */
export const BulkChange = <Row,>({
  verb,
  past,
  one,
  place,
  rows,
  keyOf,
  nameOf,
  writeOf,
  isDestructive = false,
  children,
  onClose,
}: {
  /** "Deactivate" */
  readonly verb: string;
  /** "Deactivated" */
  readonly past: string;
  /** "user" */
  readonly one: string;
  /** "to Dispatch" */
  readonly place?: string | undefined;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  readonly writeOf: (row: Row) => Write;
  readonly isDestructive?: boolean;
  /** What to know before; gets the number of rows that will change. */
  readonly children?: (count: number) => ComponentChildren;
  /** With whether something was changed. */
  readonly onClose: (hasChanged: boolean) => void;
}) => {
  const [step, setStep] = useState<'previewing' | 'planned' | 'changing' | 'done'>('previewing');
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [isStopped, setStopped] = useState(false);
  const stop = useRef(new AbortController());
  const note = (row: Row, result: Result) =>
    setResults((before) => new Map(before).set(keyOf(row), result));
  const each = (work: (row: Row) => Promise<Result>, of: readonly Row[]) =>
    forEachRow(
      of,
      async (row) =>
        note(row, await work(row).catch((fault: unknown) => refused(asApiError(fault).message))),
      stop.current.signal,
    );
  useEffect(() => {
    void each(async (row) => resultOf(await writeOf(row).preview()), rows).then(() =>
      setStep('planned'),
    );
    return () => stop.current.abort();
  }, []);
  const having = (outcome: Outcome) =>
    rows.filter((row) => results.get(keyOf(row))?.outcome === outcome);
  const [changing, failing, same] = [having('changes'), having('refused'), having('same')];
  const [planned, setPlanned] = useState<readonly Row[]>([]);
  const run = async () => {
    setPlanned(changing);
    setStep('changing');
    setResults(new Map([...results].filter(([, { outcome }]) => outcome !== 'changes')));
    await each(async (row) => {
      await writeOf(row).save();
      return { outcome: 'changes', events: 0, roleChanges: 0 };
    }, changing);
    setStep('done');
  };
  const sum = (of: (result: Result) => number) =>
    [...results.values()].reduce((total, result) => total + of(result), 0);
  const done = step === 'changing' ? planned.filter((row) => results.has(keyOf(row))).length : 0;
  const isBusy = step === 'previewing' || step === 'changing';
  const phrase = (word: string, count: number) =>
    [word, counted(count, one), place].filter(Boolean).join(' ');
  const roleChanges = sum((result) => result.roleChanges);
  return (
    <Dialog
      title={phrase(verb, rows.length)}
      wide
      mustAnswer={isBusy}
      onClose={() => onClose(step === 'done')}
    >
      <div aria-live="polite">
        {step === 'previewing' && (
          <p>{`Checking what will happen: ${results.size} of ${rows.length}`}</p>
        )}
        {step === 'planned' && (
          <>
            <p>
              {`${counted(changing.length, one)} will change; ${same.length} unchanged; ${failing.length} not possible.`}
              {changing.length > 0 &&
                ` ${counted(
                  sum((result) => result.events),
                  'event',
                )} will be sent.`}
              {roleChanges > 0 && ` ${counted(roleChanges, 'role')} will change.`}
            </p>
            {changing.length > 0 && children?.(changing.length)}
          </>
        )}
        {step === 'changing' && <p>{`${done} of ${planned.length}`}</p>}
        {step === 'done' && (
          <Note tone={isStopped || failing.length > 0 ? 'warning' : 'good'}>
            <p>
              <strong>{phrase(past, changing.length)}</strong>
              {isStopped && `; stopped before ${planned.length - done} others`}
            </p>
          </Note>
        )}
      </div>
      {isBusy && (
        <Gauge
          label="Progress"
          value={step === 'changing' ? done : results.size}
          max={step === 'changing' ? planned.length : rows.length}
          isProgress
        />
      )}
      <ul class="rows results" tabIndex={0} aria-label="Result per row">
        {[...failing, ...changing, ...same].slice(0, MAX_LISTED).map((row) => {
          const { outcome, message } = results.get(keyOf(row)) ?? refused('');
          const isOver = step === 'changing' || step === 'done';
          return (
            <li key={keyOf(row)}>
              <span class="two-lines">
                {nameOf(row)}
                {message !== undefined && <small>{message}</small>}
              </span>
              <StateBadge of={WORDS[outcome][isOver ? 'done' : 'planned']} />
            </li>
          );
        })}
      </ul>
      {results.size > MAX_LISTED && <p class="quiet">{`and ${results.size - MAX_LISTED} more`}</p>}
      <footer>
        {isBusy ? (
          <Button
            label="Stop"
            class="secondary"
            onClick={() => {
              stop.current.abort();
              if (step === 'previewing') onClose(false);
              else setStopped(true);
            }}
          />
        ) : (
          <Button
            label={step === 'done' ? 'Close' : 'Cancel'}
            class="secondary"
            onClick={() => onClose(step === 'done')}
          />
        )}
        {step === 'planned' && (
          <Button
            label={phrase(verb, changing.length)}
            class={isDestructive ? 'danger' : ''}
            disabled={changing.length === 0}
            onClick={() => void run()}
          />
        )}
      </footer>
    </Dialog>
  );
};
