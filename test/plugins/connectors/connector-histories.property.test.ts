import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunMode, RunRecord } from '../../../plugins/connectors/run/run-record.js';
import type { UserId } from '../../../src/plugin/api.js';
import { ConnectorWorld, NAME } from '../../support/connector-world.js';
import { type Line, ReferenceModel } from './reference-model.js';
import { propertyRuns } from '../../support/property-runs.js';

/** Numbers stand for record ids and for addresses; small ones, so that they meet again. */
const anyId = fc.integer({ min: 1, max: 8 });
const anyMail = fc.integer({ min: 1, max: 7 });
/** Days from now. */
const anyDay = fc.integer({ min: -2, max: 3 });

const step = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(fc.constant('hire' as const), anyId, anyMail) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('address' as const), anyId, anyMail) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('swap' as const), anyId, anyId) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('renumber' as const), anyId, anyId) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('replace' as const), anyId, anyId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('transfer' as const), anyId, anyId) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('vanish' as const), anyId) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('return' as const), anyId) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('left' as const), anyId, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('start' as const), anyId, fc.option(anyDay)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('end' as const), anyId, fc.option(anyDay)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('bad' as const), anyId, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('title' as const), anyId, anyId) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('other' as const),
      anyMail,
      fc.constantFrom(
        'off' as const,
        'on' as const,
        'title' as const,
        'id' as const,
        'delete' as const,
      ),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('create' as const), anyMail) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('days' as const), fc.integer({ min: 1, max: 2 })) },
  {
    weight: 12,
    arbitrary: fc.tuple(
      fc.constant('run' as const),
      fc.constantFrom(
        'full' as const,
        'full' as const,
        'full' as const,
        'delta' as const,
        'dates' as const,
      ),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(Infinity) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 120 }) },
      ),
    ),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const history = fc.record({
  steps: fc.array(step, { minLength: 4, maxLength: 24 }),
  /** Users that an identity provider created, by address. */
  existing: fc.uniqueArray(anyMail, { maxLength: 3 }),
  /** Few seats, or addresses that move: both at once have no single right result. */
  seats: fc.option(fc.integer({ min: 3, max: 5 }), { freq: 4 }),
});

const mailOf = (number: number): string => `m${number}@example.com`;
const DAY_MS = 86_400_000;

interface Start {
  readonly existing?: readonly number[];
  readonly seats?: number | null;
}

/** The export, the tenant and the model, side by side. */
class History {
  readonly #world: ConnectorWorld;
  readonly #model = new ReferenceModel();
  readonly #file = new Map<string, Line>();
  /** As they were when they vanished. */
  readonly #lost = new Map<string, Line>();
  readonly #changed = new Set<string>();
  readonly #seats: number | null;
  #created = 0;

  private constructor(seats: number | null) {
    this.#seats = seats;
    this.#world = new ConnectorWorld(
      {
        safety: { maxDeactivatePercent: 100, maxEmailChangePercent: 100, maxDaysSinceLastRun: 999 },
        onError: { maxFailedPercent: 100 },
      },
      {
        mapping: {
          userName: { path: 'mail', required: true },
          email: 'mail',
          externalId: 'id',
          title: 'title',
        },
        lifecycle: { start: 'start', end: 'end', status: { path: 'status', inactive: ['left'] } },
      },
      { seatCapacity: seats },
    );
    if (seats !== null) this.#model.seats = seats;
    this.#model.today = this.#day(0);
  }

  #day(offset: number): string {
    return new Date(this.#world.now.getTime() + offset * DAY_MS).toISOString().slice(0, 10);
  }

  #write(line: Line): void {
    this.#file.set(line.id, line);
    this.#changed.add(line.id);
    const { hasLeft, isBad, mail, ...data } = line;
    const record = {
      ...data,
      mail: isBad ? `${mail} (old)` : mail,
      ...(hasLeft && { status: 'left' }),
    };
    this.#world.put(line.id, record);
  }

  #remove(id: string): void {
    const line = this.#file.get(id);
    if (!line || this.#file.size === 1) return;
    this.#file.delete(id);
    this.#lost.set(id, line);
    this.#changed.add(id);
    this.#world.leave(id);
  }

  /** An export gives no two people who are employed at once the same address. */
  #isPossible(lines: readonly Line[]): boolean {
    const employed = lines.filter(({ hasLeft }) => !hasLeft);
    return employed.every((one) =>
      employed.every(
        (other) =>
          one.id === other.id ||
          one.mail !== other.mail ||
          (one.end ?? '9') < (other.start ?? '0') ||
          (other.end ?? '9') < (one.start ?? '0'),
      ),
    );
  }

  #change(lines: readonly Line[]): void {
    const after = new Map([...this.#file, ...lines.map((line) => [line.id, line] as const)]);
    if (!this.#isPossible([...after.values()])) return;
    const isMove = lines.some((line) => line.mail !== (this.#file.get(line.id) ?? line).mail);
    if (this.#seats !== null && isMove) return;
    for (const line of lines) this.#write(line);
  }

  #edit(id: string, more: { readonly [Key in keyof Line]?: Line[Key] | undefined }): void {
    const line = this.#file.get(id);
    if (!line) return;
    const edited = Object.entries({ ...line, ...more }).filter(([, value]) => value !== undefined);
    this.#change([Object.fromEntries(edited) as unknown as Line]);
  }

  /** Five people, past their first run. */
  static async start({ existing = [], seats = null }: Start): Promise<History> {
    const world = new History(seats);
    for (const number of existing) await world.#createUser(number);
    for (let at = 1; at <= 5; at += 1) world.#write({ id: `${at}`, mail: mailOf(at), title: 'A' });
    await world.#run('full', Infinity);
    return world;
  }

  active(): readonly string[] {
    return this.#world.active();
  }

  async take(one: Step): Promise<void> {
    switch (one[0]) {
      case 'run':
        return this.#run(one[1], one[2]);
      case 'days':
        this.#world.passDays(one[1]);
        this.#model.today = this.#day(0);
        return;
      case 'other':
        return this.#other(mailOf(one[1]), one[2]);
      case 'create':
        return this.#createUser(one[1]);
      default:
        this.#export(one);
    }
  }

  #export(one: Exclude<Step, readonly ['run' | 'days' | 'other' | 'create', ...unknown[]]>): void {
    const id = `${one[1]}`;
    const line = this.#file.get(id);
    switch (one[0]) {
      case 'hire':
        if (!line) this.#change([{ id, mail: mailOf(one[2]), title: 'A' }]);
        return;
      case 'address':
        this.#edit(id, { mail: mailOf(one[2]) });
        return;
      case 'swap': {
        const other = this.#file.get(`${one[2]}`);
        if (line && other)
          this.#change([
            { ...line, mail: other.mail },
            { ...other, mail: line.mail },
          ]);
        return;
      }
      case 'renumber':
      case 'replace':
      case 'transfer':
        if (line && !this.#file.has(`${one[2]}`)) this.#follow(one[0], line, `${one[2]}`);
        return;
      case 'vanish':
        this.#remove(id);
        return;
      case 'return': {
        const lost = this.#lost.get(id);
        if (lost && !line) this.#change([lost]);
        return;
      }
      case 'left':
        this.#edit(id, { hasLeft: one[2] || undefined });
        return;
      case 'bad':
        this.#edit(id, { isBad: one[2] || undefined });
        return;
      case 'start':
      case 'end':
        this.#edit(id, { [one[0]]: one[2] === null ? undefined : this.#day(one[2] as number) });
        return;
      case 'title':
        this.#edit(id, { title: `${one[2]}` });
    }
  }

  /** The same person under another id: the old line is gone, says "left", or ends the day before. */
  #follow(how: 'renumber' | 'replace' | 'transfer', line: Line, id: string): void {
    const { start: _start, ...rest } = line;
    if (how === 'renumber') {
      this.#remove(line.id);
      if (!this.#file.has(line.id)) this.#change([{ ...line, id }]);
    } else if (how === 'replace')
      this.#change([
        { ...line, hasLeft: true },
        { ...line, id },
      ]);
    else
      this.#change([
        { ...rest, end: this.#day(0) },
        { ...rest, id, start: this.#day(1) },
      ]);
  }

  async #createUser(number: number): Promise<void> {
    const mail = mailOf(number);
    if (this.#world.user(mail)) return;
    this.#created += 1;
    const externalId = `idp-${this.#created}`;
    const outcome = await this.#world.act({
      type: 'user.create',
      userId: this.#world.newRecordId() as unknown as UserId,
      profile: {
        userName: mail,
        emails: [{ value: mail, type: 'work', primary: true }],
        externalId,
        active: true,
      },
    });
    if (outcome.ok)
      this.#model.accounts.push({
        mail,
        title: '',
        externalId,
        isActive: true,
        isOffByConnector: false,
      });
  }

  /** What an administrator does to a user. */
  async #other(mail: string, what: 'off' | 'on' | 'title' | 'id' | 'delete'): Promise<void> {
    const user = this.#world.user(mail);
    const account = this.#model.accounts.find((one) => one.mail === mail);
    if (!user || !account) return;
    const { id: userId } = user;
    const replace = (path: string, value: string) =>
      this.#world.act({
        type: 'user.patch',
        userId,
        changes: [{ op: 'replace', path: [path], value }],
      });
    if (what === 'delete') {
      await this.#world.act({ type: 'user.delete', userId });
      this.#model.accounts = this.#model.accounts.filter((one) => one !== account);
    } else if (what === 'title') {
      await replace('title', 'other');
      account.title = 'other';
    } else if (what === 'id') {
      await replace('externalId', 'idp-x');
      account.externalId = 'idp-x';
    } else {
      const outcome = await this.#world.act({ type: 'user.update', userId, active: what === 'on' });
      if (!outcome.ok || account.isActive === (what === 'on')) return;
      account.isActive = what === 'on';
      account.isOffByConnector = false;
    }
  }

  async #run(mode: RunMode, killAt: number): Promise<void> {
    // All of the quarantine is due, except for deleted users, who need an operator.
    const { service } = this.#world.instance();
    for (const { sourceId, code } of await (await service.store()).quarantine.list(100))
      if (code !== 'USER_DELETED') await service.retry(sourceId);
    const before = this.#world.effects.length;
    const run = await this.#finish(mode, killAt);
    const lines = [...this.#file.values()];
    if (mode === 'full') this.#model.full(lines);
    else if (mode === 'dates') this.#model.dates();
    else
      this.#model.delta(
        lines.filter(({ id }) => this.#changed.has(id)),
        [...this.#changed].filter((id) => !this.#file.has(id)),
      );
    if (mode !== 'dates') this.#changed.clear();
    expect(await this.#found()).toEqual(this.#expected());
    const changed = new Set(this.#world.effects.slice(before).map(({ userId }) => userId));
    if (killAt === Infinity) expect(run.counts.applied).toBe(changed.size);
  }

  /** To its end, whatever kills it and however large its plan is. */
  async #finish(mode: RunMode, killAt: number): Promise<RunRecord> {
    const { service, isDead } = this.#world.instance(killAt);
    const newest = async () => (await (await this.#world.instance().service.store()).runs(1))[0];
    const before = await newest();
    // Ids of runs follow the clock.
    this.#world.pass(1_000);
    await service.start({ mode, trigger: 'operator', requestedBy: NAME }).catch(() => undefined);
    await service.idle();
    if (isDead()) await this.#world.recover();
    const last = await newest();
    // It died before the run was stored, with nothing to recover but what the day changes; or with the source.
    const isStored = last !== undefined && last.id !== before?.id && last.mode === mode;
    const isLost = !isStored || last.state === 'failed';
    const run = isLost ? await this.#world.run(mode) : last;
    if (run.state !== 'held') {
      expect(run).toMatchObject({ state: 'done' });
      return run;
    }
    const { service: approver } = this.#world.instance();
    await approver.approve(run.id, run.plan?.digest ?? '', 'ada');
    await approver.idle();
    return this.#world.runOf(run.id);
  }

  #expected(): object {
    const { accounts, links, waiting } = this.#model;
    return {
      users: accounts
        .map(({ mail, title, externalId, isActive }) => ({ mail, title, externalId, isActive }))
        .sort(byMail),
      links: Object.fromEntries(
        [...links].map(([id, { state, account }]) => [
          id,
          `${state} ${account ? (accounts.includes(account) ? account.mail : 'deleted') : ''}`,
        ]),
      ),
      waiting: [...waiting.keys()].sort(),
    };
  }

  async #found(): Promise<object> {
    const store = await this.#world.instance().service.store();
    const users = this.#world.users();
    const mails = new Map(users.map(({ id, profile }) => [id, profile.userName]));
    const links: Record<string, string> = {};
    for await (const page of store.links.pages())
      for (const { sourceId, state, userId } of page)
        links[sourceId] = `${state} ${userId ? (mails.get(userId) ?? 'deleted') : ''}`;
    return {
      users: users
        .map(({ profile, email }) => {
          expect(email).toBe(profile.userName);
          return {
            mail: profile.userName,
            title: (profile.title as string | undefined) ?? '',
            externalId: profile.externalId ?? null,
            isActive: profile.active,
          };
        })
        .sort(byMail),
      links,
      waiting: (await store.quarantine.list(100)).map(({ sourceId }) => sourceId).sort(),
    };
  }
}

const byMail = (one: { readonly mail: string }, other: { readonly mail: string }): number =>
  one.mail < other.mail ? -1 : 1;

/** Active users at the end, by the number of their address. */
type Named = readonly [
  fact: string,
  active: readonly number[],
  steps: readonly Step[],
  start?: Start,
];

const full: Step = ['run', 'full', Infinity];
const delta: Step = ['run', 'delta', Infinity];
const dates: Step = ['run', 'dates', Infinity];
const ALL = [1, 2, 3, 4, 5];

const NAMED: readonly Named[] = [
  [
    'who returns with an identical line is reactivated',
    ALL,
    [['vanish', 2], full, full, ['return', 2], full],
  ],
  [
    'who is deleted and returns with an identical line is reactivated',
    ALL,
    [['vanish', 2], delta, ['return', 2], delta],
  ],
  ['a new id for a known address keeps the user active', ALL, [['renumber', 1, 6], full, full]],
  ['a deletion and a new id in one delta keep the user active', ALL, [['renumber', 1, 6], delta]],
  [
    'a new id whose record waits keeps the user active',
    ALL,
    [['renumber', 1, 6], ['start', 6, 3], ['end', 6, 1], full, full, full],
  ],
  ['an old id that has left and a new active one keep the user', ALL, [['replace', 1, 6], full]],
  ['a transfer to another id keeps the user', ALL, [['transfer', 1, 6], full, ['days', 1], dates]],
  [
    'an inactive record does not take the user of an active one',
    [...ALL, 6],
    [['hire', 6, 6], ['left', 6, true], ['hire', 7, 6], full],
    { existing: [6] },
  ],
  [
    'an inactive record without a link changes nothing',
    [...ALL, 6],
    [['hire', 6, 6], ['left', 6, true], full, full],
    { existing: [6] },
  ],
  [
    'no date of an older record counts while a newer one waits',
    ALL,
    [['end', 1, 0], full, ['bad', 1, true], ['end', 1, 3], full, ['days', 1], dates],
  ],
  [
    'a leaver whose link was made anew is deactivated',
    [2, 3, 4, 5],
    [
      ['left', 1, true],
      full,
      ['renumber', 1, 6],
      ['left', 6, false],
      full,
      ['left', 6, true],
      full,
      ['renumber', 6, 1],
      ['left', 1, false],
      full,
      ['left', 1, true],
      full,
    ],
  ],
  [
    'a deactivation by an administrator before the last day stays',
    [2, 3, 4, 5],
    [['other', 1, 'off'], ['left', 1, true], full, ['left', 1, false], full],
  ],
  [
    'a deactivation by an administrator after the last day stays',
    [2, 3, 4, 5],
    [['left', 1, true], full, ['other', 1, 'on'], ['other', 1, 'off'], ['left', 1, false], full],
  ],
  [
    'a user who is deleted by another interface stays deleted when the record changes',
    [2, 3, 4, 5],
    [['other', 1, 'delete'], ['title', 1, 2], full, ['title', 1, 3], full],
  ],
  [
    'an absence before a read in which the change fails does not count',
    [2, 3, 4, 5],
    [['vanish', 2], full, ['renumber', 1, 2], full, ['vanish', 2], full],
  ],
  ['two people who swap their addresses get them', ALL, [['swap', 1, 2], full]],
  ['three people whose addresses go round get them', ALL, [['swap', 1, 2], ['swap', 2, 3], full]],
  [
    'an address passes to someone who comes earlier in the file',
    [2, 3, 4, 5, 6],
    [['address', 2, 6], ['address', 1, 2], full],
  ],
  [
    'an address passes to someone who is new',
    [...ALL, 6],
    [['address', 2, 6], ['hire', 6, 2], full],
  ],
  [
    'the seat of a leaver goes to someone who comes earlier in the file, in the same run',
    ALL,
    [['vanish', 1], full, full, ['hire', 7, 7], full, ['return', 1], ['left', 7, true], full],
    { seats: 5 },
  ],
  [
    'what another interface changed is restored by the next full read',
    ALL,
    [['other', 1, 'title'], full],
  ],
  [
    'the external id of an identity provider is kept',
    ALL,
    [['title', 1, 2], full],
    { existing: [1] },
  ],
  [
    'a first day after the last one changes nothing',
    ALL,
    [['end', 1, -1], ['start', 1, 1], full, ['days', 2], dates, full],
  ],
];

it.each(NAMED.map(([fact, ...rest]) => [fact, rest] as const))('%s', async (_fact, rest) => {
  const [active, steps, start = {}] = rest;
  const world = await History.start(start);
  for (const one of steps) await world.take(one);
  expect(world.active()).toEqual(active.map(mailOf));
});

const RUNS = propertyRuns(500);

it(
  'ends each run as the reference model does, whatever came before',
  { timeout: RUNS * 1_000 + 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, existing, seats }) => {
        const world = await History.start({ existing, seats });
        for (const one of steps) await world.take(one);
      }),
      {
        numRuns: RUNS,
        ...(process.env.MODEL_SEED !== undefined && { seed: Number(process.env.MODEL_SEED) }),
      },
    );
  },
);
