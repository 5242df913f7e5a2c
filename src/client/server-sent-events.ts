/** One event of a stream. */
export interface ServerSentEvent {
  /** Pass it as `lastEventId` to continue. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads a `text/event-stream` (HTML standard, 9.2.6). Ends with the stream. */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, void> {
  let event = '';
  let data: string[] = [];
  let id = '';
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
}

/** Lines end with CR, LF or both, also where a chunk ends between the two. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const isOpen = rest.endsWith('\r');
    const lines = rest.split(/\r\n|\n|\r/);
    // A CR at the end may be half of a line's end.
    if (isOpen) lines.splice(-2, 2, `${lines.at(-2) ?? ''}\r`);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
