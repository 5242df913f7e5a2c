import { envelopeOf, type EventEnvelope, type EventName } from '../../src/domain/events.js';
import type { EventId } from '../../src/domain/kernel/ids.js';
import type { JsonObject } from '../../src/domain/kernel/json.js';
import { sampleEvent } from '../../src/plugin/testing/samples.js';
import { EVENT_SHAPES } from '../../src/routes/event-feed.js';

const ID = '0f0e0d0c-0b0a-4908-8706-050403020100' as EventId;

const sampleOf = (name: string): EventEnvelope =>
  envelopeOf(sampleEvent(name as EventName, { id: ID, seq: 42 }));

const block = (value: EventEnvelope | JsonObject): string =>
  ['```json', JSON.stringify(value, null, 2), '```'].join('\n');

/** Every event: when it is sent, and a sample of its `data`. */
export const describeEvents = (): string => {
  const [first] = EVENT_SHAPES;
  const sections = EVENT_SHAPES.map(({ name, summary }) =>
    [`## ${name}`, '', `${summary}.`, '', block(sampleOf(name).data)].join('\n'),
  );
  return ['A whole event:', '', block(sampleOf(first!.name)), '', ...sections].join('\n\n');
};
