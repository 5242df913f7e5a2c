import { describe, expect, it } from 'vitest';
import { openEdge, MOUNTS } from '../support/edge.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';
import { PROVIDER_FLOWS, type Step } from './provider-flows.js';

const withId = (step: Step, id: string): Step =>
  JSON.parse(JSON.stringify(step).replaceAll('{id}', id)) as Step;

const play = async (scim: ScimClient, steps: readonly Step[]): Promise<void> => {
  let id = '';
  for (const given of steps) {
    const { verb, path, body, status, answer: expected = {}, absent = [] } = withId(given, id);
    const answer = await scim.send(verb, path, body);
    const what = `${verb} ${path}: ${answer.text}`;
    expect(answer.status, what).toBe(status);
    if (status === 204) continue;
    expect(answer.headers['content-type'], what).toBe(SCIM_TYPE);
    expect(answer.body, what).toMatchObject(expected);
    for (const name of absent) expect(answer.body, what).not.toHaveProperty(name);
    if (status === 201) id = (answer.body as { id: string }).id;
  }
};

describe.each(MOUNTS)('at %s', (mount) => {
  it.each(PROVIDER_FLOWS)('$provider $title', async ({ steps }) => {
    await play(new ScimClient(await openEdge(), mount), steps);
  });
});
