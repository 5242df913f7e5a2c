/** A browser: cookies by host, and redirects followed by hand. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  /** Headers of every request, besides cookies. */
  constructor(private readonly headers: Readonly<Record<string, string>> = {}) {}

  cookies(host: string): string {
    return [...(this.#jars.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const headers = new Headers({
      ...this.headers,
      ...Object.fromEntries(new Headers(init.headers)),
    });
    headers.set('cookie', this.cookies(host));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    for (const header of response.headers.getSetCookie()) {
      const [pair = '', ...rules] = header.split('; ');
      const at = pair.indexOf('=');
      const isDeleted = rules.some((rule) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(rule));
      if (isDeleted) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Follows redirects until they lead to a page whose path starts so; by default, of the dashboard. */
  async follow(start: string, end = '/dashboard/'): Promise<string> {
    let url = start;
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.request(url);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status} at ${url}`);
      url = new URL(location, url).href;
      if (new URL(url).pathname.startsWith(end)) return url;
    }
    throw new Error('too many redirects');
  }
}
