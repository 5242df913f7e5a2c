/** What Rollgate guarantees: docs/reliability.md is written from this table. */
export interface Promised {
  readonly text: string;
  /** Tests that show it: a file of `test`, and the beginning of a title in it. */
  readonly tests: readonly (readonly [file: string, title: string])[];
  /** Its figure in docs/long-runs.json: a program, and the name of what it measured. */
  readonly figures?: readonly (readonly [program: string, figure: string])[];
}

/** By the heading of their section. */
export const PROMISES: Readonly<Record<string, readonly Promised[]>> = {
  'No lost or duplicate changes': [
    {
      text: 'An acknowledged write exists exactly once, no matter how the gateway ends: users, events, log lines and counts agree',
      tests: [['journeys/kill.test.ts', 'loses no acknowledged write, repeats no command']],
      figures: [['crash', 'users created']],
    },
    {
      text: 'Every event is delivered at least once, under one `X-Service-Delivery`; only deliveries that were in flight or not yet settled when the gateway was killed are repeated',
      tests: [
        ['journeys/kill.test.ts', 'loses no acknowledged write, repeats no command'],
        ['journeys/kill-windows.system.test.ts', 'between records and positions'],
      ],
      figures: [['crash', 'repeated deliveries']],
    },
    {
      text: 'The same with several gateways, killed one at a time, also if 20 registrations receive every event',
      tests: [['journeys/webhook-crash.system.test.ts', 'lose no event of 20 registrations']],
      figures: [['crash:webhooks', 'repeated deliveries']],
    },
    {
      text: 'Every tenant is served again within 10 s of a restart: an open transaction of the dead gateway blocks no request for longer',
      tests: [
        ['journeys/kill.test.ts', 'loses no acknowledged write, repeats no command'],
        ['journeys/kill-windows.system.test.ts', 'before its commit reaches the database'],
        ['journeys/kill-windows.system.test.ts', 'while it holds the priority lock'],
      ],
      figures: [['crash', 'slowest recovery']],
    },
    {
      text: 'If the gateway dies during a change that is too large for one commit, another process completes the change; each event is written once, under one ID',
      tests: [
        ['store/commit/large-rosters.system.test.ts', 'is completed by another instance'],
        ['journeys/sms-crash.system.test.ts', 'loses no number and no event'],
      ],
      figures: [['sms-lists', 'members']],
    },
    {
      text: 'A process that is suspended past its lease and then resumes cannot change anything that another process has taken over',
      tests: [
        ['journeys/kill-stopped.system.test.ts', 'loses nothing and repeats no command'],
        ['journeys/kill-stopped.system.test.ts', 'moves no position, and continues'],
      ],
    },
    {
      text: 'One `Idempotency-Key` has one effect and one response, also after a crash (refusals are not stored)',
      tests: [
        ['store/commit/pipeline-on-mongo.test.ts', 'has one effect and one response'],
        ['store/commit/pipeline-on-mongo.test.ts', 'returns the first response unchanged'],
        ['http/idempotency.test.ts', 'is separate for each API key'],
      ],
      figures: [['crash', 'users created']],
    },
    {
      text: 'If the response to a commit is lost, the gateway looks the change up and answers with its result; 503 if that is not possible in time, and the change may have been made',
      tests: [
        ['store/commit/pipeline-on-mongo.test.ts', 'is recovered by the ids of its commands'],
        ['store/commit/pipeline-on-mongo.test.ts', 'returns 503 if its outcome cannot'],
      ],
    },
    {
      text: "Business data is never written without majority and journal acknowledgement, or without checking the tenant's version",
      tests: [
        ['store/connect.test.ts', 'writes to a majority and its journal'],
        ['store/connect.test.ts', 'keeps safe writes whatever the connection string says'],
        ['store/commit/pipeline-on-mongo.test.ts', 'check the version before any write'],
      ],
    },
    {
      text: 'While the database is down or hangs: 503 with Retry-After, `/readyz` fails, and no rejected change appears later',
      tests: [
        ['journeys/database-away.system.test.ts', 'makes every request fail with 503'],
        ['journeys/database-away.system.test.ts', 'makes requests fail with 503 also if it hangs'],
        ['journeys/database-away.system.test.ts', 'leaves no trace of refused requests'],
      ],
    },
    {
      text: 'If the connection breaks during any insert of a commit, the whole batch gets 503, once, and none of it is stored; a duplicate key that no decider detected rejects only its own command',
      tests: [
        ['store/database-errors.test.ts', 'during an insert into %s fails the whole batch'],
        ['store/database-errors.test.ts', 'refuses its own command'],
      ],
    },
    {
      text: 'The same when a three-member replica set loses its primary, killed or frozen with its connections open: clients get 503 until a majority accepts writes again',
      tests: [['journeys/failover.system.test.ts', 'loses no acknowledged write, and clients get']],
      figures: [
        ['failover', 'users created'],
        ['failover', 'repeated deliveries'],
      ],
    },
    {
      text: 'SIGTERM under load fails no request that was already sent, and releases all partitions',
      tests: [
        ['journeys/graceful-stop.system.test.ts', 'under load, responds to all earlier requests'],
      ],
    },
    {
      text: 'After kill -9 of the embedded mongod or of the gateway, the embedded mongod restarts on the same data',
      tests: [
        ['store/embedded/start-embedded-mongo.system.test.ts', 'restarts at the same address'],
        ['store/embedded/start-embedded-mongo.system.test.ts', 'by kill -9, the next one starts'],
        ['store/embedded/keep-running.test.ts', 'is restarted when it exits'],
      ],
    },
  ],
  'Correct under concurrency': [
    {
      text: 'Six instances that receive 30 concurrent creates for 10 seats create exactly 10 users, 20 times in a row',
      tests: [['journeys/instances.system.test.ts', 'six instances grant exactly 10 seats']],
    },
    {
      text: '3,000 creates in one transaction succeed while another instance writes every 30 ms; the event sequence stays gapless',
      tests: [['journeys/instances.system.test.ts', '3,000 creates %s succeed']],
    },
    {
      text: 'Two instances that process random concurrent commands, with some commit responses lost, end in the same state as if the commands had run one after the other',
      tests: [
        ['journeys/model-on-mongo.property.test.ts', 'produce the same outcomes, events and state'],
      ],
    },
    {
      text: "Reads for a batch are at least as recent as its tenant's last commit",
      tests: [['store/commit/causal-reads.test.ts', 'reads of a batch require data']],
    },
    {
      text: 'A deleted key is rejected by every instance within a second; the limit of 600 a minute applies across all instances',
      tests: [
        ['journeys/instances.system.test.ts', 'a key deleted on one gateway is refused'],
        ['journeys/instances.system.test.ts', 'together accept at least as many requests'],
      ],
    },
  ],
  'Tenant isolation': [
    {
      text: 'A command waits for at most a hundred creates of each flooding tenant, with one tenant that has 500 requests in flight or twelve that have 50 each',
      tests: [['journeys/fairness.system.test.ts', 'waits for at most 100 creates of each']],
      figures: [['fairness', 'p99 with the flood']],
    },
    {
      text: 'Searches without an index: at most two concurrent per tenant and four per gateway, half as many with more than ten conditions, one second each; larger tenants get 400 immediately',
      tests: [
        ['store/read/search-limits.test.ts', 'are limited to two per tenant'],
        ['store/read/search-limits.test.ts', 'are limited to four over all tenants'],
        ['store/read/search-limits.test.ts', 'are not searched without an index'],
      ],
    },
    {
      text: 'Work that waits for the event loop runs in slices, tenants in rounds; probes overtake all of it',
      tests: [
        ['pipeline/loop-scheduler.test.ts', 'is shared by client'],
        ['http/take-turns.test.ts', 'let a probe overtake the waiting requests'],
      ],
    },
    {
      text: 'Requests with made-up credentials share four turns, whatever their number and addresses, and four lookups at once',
      tests: [
        ['http/take-turns.test.ts', 'give few shares to all addresses without known credentials'],
        ['http/keys/key-cache.test.ts', 'reads few unknown keys at once'],
      ],
    },
    {
      text: 'Bodies that never come take no memory and get 408 after 2 s; bodies without credentials have a budget of their own, by address',
      tests: [
        ['http/body-limits.test.ts', 'that never come take nothing from others'],
        ['http/body-limits.test.ts', 'without credentials have a budget of their own'],
      ],
    },
    {
      text: 'One address has at most half of the connections',
      tests: [['http/server.test.ts', 'of one address are at most half']],
    },
    {
      text: 'A key or session has at most eight long responses in progress, an operator 10 live streams and a tenant 25; sessions have a rate limit',
      tests: [
        ['http/send-response.test.ts', 'of one key are limited to eight'],
        ['http/rate-limit.test.ts', 'applies to each session'],
        ['journeys/live-log.test.ts', 'is limited per operator'],
      ],
    },
    {
      text: "If, of 20 receivers, one hangs, one sends its response slowly and one never ends its response, the others' p95 stays below 2 s and memory stays flat",
      tests: [['journeys/webhook-isolation.system.test.ts', 'receivers that hang, send slowly']],
      figures: [
        ['isolation', 'p95 to the others'],
        ['isolation', 'memory'],
      ],
    },
    {
      text: 'Slow and dead receivers never delay others',
      tests: [['store/stream/event-stream.test.ts', 'of a slow key is its own']],
    },
    {
      text: "2,000 idle connections do not double the CPU time of other clients' requests",
      tests: [['journeys/slow-clients.system.test.ts', 'do not double the CPU time']],
    },
    {
      text: 'Request headers sent too slowly get 408 after 10 s',
      tests: [['journeys/slow-clients.system.test.ts', 'gets 408 although it never stops']],
    },
  ],
  'Hostile input': [
    {
      text: '34 kinds of hostile input (nesting, bombs, prototypes, operators, encodings, filters, paths) get their 4xx at every endpoint that reads a body (native, operator, plugin and SCIM), in both content types; the next request of another tenant succeeds',
      tests: [['journeys/hostile.system.test.ts', 'is refused by every route']],
    },
    {
      text: 'Refusing a hostile body takes about as long as refusing any other of its length',
      tests: [['http/hostile-bodies.test.ts', 'of %s is refused as quickly as any text']],
    },
    {
      text: 'The same and more, case by case, with the error code of each rejection; no prototype is polluted',
      tests: [
        ['http/hostile-bodies.test.ts', 'refuses %s'],
        ['http/scim-hostile.property.test.ts', 'any JSON gets a SCIM response'],
      ],
    },
    {
      text: "Malformed HTTP (two lengths, smuggling, long headers) gets an error in Rollgate's format, and the connection is closed",
      tests: [['http/server.test.ts', 'that %s gets a response in the native format']],
    },
    {
      text: "Every route rejects a missing key, an unknown key, another tenant's key and a key without the scope; an ID of another tenant gets the same response as an ID that does not exist",
      tests: [
        ['http/access.test.ts', 'refuses %s with 401'],
        ['http/access.test.ts', 'refuses a key with all scopes except'],
        ['http/native.test.ts', 'returns no user of another tenant'],
        ['http/rooms.test.ts', 'returns no room of another tenant'],
      ],
    },
    {
      text: 'At most 300 failed authentications a minute per address; valid keys are not locked out',
      tests: [['http/access.test.ts', 'are limited to 300 per minute and address']],
    },
    {
      text: 'Requests generated by schemathesis from the OpenAPI document, to each operation, get only the responses that it describes',
      tests: [['journeys/openapi-fuzzing.system.test.ts', 'with %s']],
    },
    {
      text: 'Webhooks reach no private address, whether by name, redirect or a second DNS lookup',
      tests: [
        ['plugins/address-guard.test.ts', 'refuses ${kind}'],
        ['plugins/http-sender.test.ts', 'is not reached by a redirect'],
        ['plugins/http-sender.test.ts', 'is refused if its name resolves differently'],
      ],
    },
  ],
  'No leaked secrets': [
    {
      text: 'No secret appears in the log at level `trace`, in metrics, responses, deliveries, files or documents, except where it belongs',
      tests: [
        ['journeys/canaries.system.test.ts', 'appear only where they belong'],
        ['journeys/sms-canaries.system.test.ts', 'phone numbers appear only'],
      ],
    },
  ],
};
