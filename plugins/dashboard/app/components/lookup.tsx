import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { Icon, type IconName } from './icon.tsx';
import { ErrorNote } from './note.tsx';

/** One result of a search. */
export interface Found {
  readonly id: string;
  readonly title: string;
  readonly subtitle?: string | null;
  readonly icon: IconName;
  /** A word at the end of the line: its kind. */
  readonly hint?: string;
  /** The heading that it is listed under, with the results before or after it of the same one. */
  readonly group?: string;
}

const TYPING_MS = 120;

interface Listed<Result> {
  readonly result: Result;
  readonly index: number;
}

/** Results of one heading follow each other. */
const groupsOf = <Result extends Found>(results: readonly Result[]) => {
  const groups: { readonly group: string | undefined; readonly listed: Listed<Result>[] }[] = [];
  for (const [index, result] of results.entries()) {
    const last = groups.at(-1);
    if (last && last.group === result.group) last.listed.push({ result, index });
    else groups.push({ group: result.group, listed: [{ result, index }] });
  }
  return groups;
};

/**
 * A search field with a list of results: arrow keys choose, Enter takes. The focus stays in the field,
 * as in every combobox.
 */
export const Lookup = <Result extends Found>({
  label,
  placeholder,
  chosen,
  find,
  onTake,
  isOpenAtOnce = false,
  typedBefore = '',
  nothing,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** The choice so far, shown until something is typed. */
  readonly chosen?: string | undefined;
  /** Called for the empty text as well. Keep it stable: it runs again when it changes. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Result[]>;
  readonly onTake: (result: Result) => void;
  /** With the focus, and results before anything is typed. */
  readonly isOpenAtOnce?: boolean;
  /** The text that it opens with. */
  readonly typedBefore?: string;
  /** Shown if nothing is found. */
  readonly nothing: string;
}) => {
  /** Undefined: nothing was typed. */
  const [typed, setTyped] = useState<string | undefined>(typedBefore || undefined);
  const text = typed?.trim() ?? '';
  const [isOpen, setOpen] = useState(isOpenAtOnce);
  const [results, setResults] = useState<readonly Result[]>();
  const [error, setError] = useState<ApiError>();
  const [at, setAt] = useState(0);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpenAtOnce) input.current?.focus();
  }, []);
  useEffect(() => {
    if (!isOpen) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        find(text, controller.signal).then(
          (found) => {
            if (controller.signal.aborted) return;
            setResults(found);
            setError(undefined);
            setAt(0);
          },
          (fault: unknown) => {
            if (!controller.signal.aborted) setError(asApiError(fault));
          },
        );
      },
      text === '' ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, isOpen, find]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const close = () => {
    setOpen(false);
    setTyped(undefined);
  };
  const take = (result: Result | undefined) => {
    if (!result) return;
    if (!isOpenAtOnce) close();
    onTake(result);
  };
  const count = results?.length ?? 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      if (count > 0) setAt((at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      take(results?.[at]);
    } else if (event.key === 'Escape' && isOpen && !isOpenAtOnce) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const isListed = isOpen && count > 0;
  const option = ({ result, index }: Listed<Result>) => (
    <div
      key={`${result.icon} ${result.id}`}
      id={`${id}-${index}`}
      role="option"
      aria-selected={index === at}
      onMouseMove={() => setAt(index)}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => take(result)}
    >
      <Icon name={result.icon} />
      <span class="lookup-text">
        <span>{result.title}</span>
        {result.subtitle != null && <small>{result.subtitle}</small>}
      </span>
      {result.hint !== undefined && <small class="lookup-hint">{result.hint}</small>}
    </div>
  );
  return (
    <div
      class={isOpenAtOnce ? 'lookup is-inline' : 'lookup'}
      onFocusOut={(event) => {
        const next = event.relatedTarget;
        if (!isOpenAtOnce && !(next instanceof Node && event.currentTarget.contains(next))) close();
      }}
    >
      <label class="search-filter">
        <span class="visually-hidden">{label}</span>
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          autoComplete="off"
          spellcheck={false}
          placeholder={placeholder}
          aria-autocomplete="list"
          aria-expanded={isListed}
          aria-controls={`${id}-list`}
          {...(isListed && { 'aria-activedescendant': `${id}-${at}` })}
          value={typed ?? chosen ?? ''}
          onFocus={(event) => {
            // A choice so far is replaced by what is typed.
            if (!isOpenAtOnce) event.currentTarget.select();
            setOpen(true);
          }}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div class={isOpen ? 'lookup-panel' : 'lookup-panel is-closed'}>
        {error && <ErrorNote error={error} />}
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={label}>
          {isOpen &&
            groupsOf(results ?? []).map(({ group, listed }) =>
              group === undefined ? (
                listed.map(option)
              ) : (
                <div key={group} role="group" aria-label={group} class="lookup-group">
                  <small aria-hidden="true">{group}</small>
                  {listed.map(option)}
                </div>
              ),
            )}
        </div>
        <p class={isListed ? 'visually-hidden' : 'lookup-nothing'} role="status">
          {isListed && text !== '' && (count === 1 ? '1 result' : `${count} results`)}
          {isOpen && results && count === 0 && text !== '' && nothing}
        </p>
      </div>
    </div>
  );
};
