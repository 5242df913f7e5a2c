import { type Dispatcher, request } from 'undici';

export interface CreatorParts {
  readonly dispatcher: Dispatcher;
  readonly url: string;
  readonly slug: string;
  readonly key: string;
  /** Begins every user's name: nobody else may use it. */
  readonly name: string;
}

/** Each call makes another user; rejects where the answer is not 201. */
export const userCreator = (parts: CreatorParts): (() => Promise<void>) => {
  const { dispatcher, url, slug, key, name } = parts;
  let number = 0;
  return async () => {
    const { statusCode, body } = await request(`${url}/v1/${slug}/users`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${name}-${(number += 1)}@example.com` }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
  };
};
