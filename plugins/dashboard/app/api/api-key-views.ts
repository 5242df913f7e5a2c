import type { Listed } from './views.ts';

export interface ApiKey {
  readonly key_id: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface ApiKeyList extends Listed {
  readonly api_keys: readonly ApiKey[];
}

/** With the key itself, which no other response has. */
export interface CreatedApiKey {
  readonly key_id: string;
  readonly prefix: string;
  readonly key: string;
}
