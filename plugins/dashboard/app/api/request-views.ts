export interface RequestCapture {
  readonly enabled: boolean;
  readonly until: string | null;
}

export interface CapturedRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly key_id: string | null;
  readonly user_agent: string | null;
  readonly duration_ms: number;
  readonly request_id: string;
  readonly bytes: number;
}

export interface CapturedRequestList {
  readonly requests: readonly CapturedRequest[];
  readonly next: string | null;
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** With both messages, masked. */
export interface FullCapturedRequest extends CapturedRequest {
  readonly request: Message;
  readonly response: Message;
}
