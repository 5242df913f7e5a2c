import got, { type Method } from 'got';

/** One tenant's interfaces, as a client sees them; the gateway behind may be another one by now. */
export interface TenantClient {
  readonly scim: (method: Method, path: string, body?: object) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly ms: number;
}

/** Answers with whatever status came; a connection that breaks off is asked again by the caller. */
export const tenantClient = (
  url: () => string,
  { slug, key }: { readonly slug: string; readonly key: string },
): TenantClient => ({
  scim: async (method, path, body) => {
    const began = performance.now();
    const { statusCode, body: text } = await got(`${url()}/v1/${slug}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      throwHttpErrors: false,
      retry: { limit: 0 },
      timeout: { request: 120_000 },
      ...(body && { json: body }),
    });
    return {
      status: statusCode,
      body: text === '' ? null : (JSON.parse(text) as unknown),
      ms: performance.now() - began,
    };
  },
});

/** The answer, where it has one of these statuses. */
export const expectStatus = async (
  asked: Promise<Answer>,
  ...wanted: readonly number[]
): Promise<Answer> => {
  const answer = await asked;
  if (wanted.includes(answer.status)) return answer;
  throw new Error(`${answer.status}, not ${wanted.join(' or ')}: ${JSON.stringify(answer.body)}`);
};
