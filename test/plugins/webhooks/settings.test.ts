import { describe, expect, it } from 'vitest';
import { WebhookSettings } from '../../../plugins/webhooks/settings.js';

describe('the settings of webhooks', () => {
  it('all have defaults', () => {
    expect(WebhookSettings.parse({})).toEqual({
      allow: [],
      retry: [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
      timeout: 10_000,
      concurrencyPerRegistration: 8,
    });
  });

  it('accept what an operator writes', () => {
    const settings = {
      allow: ['10.0.0.0/8', '169.254.169.254'],
      ca: 'ca.pem',
      retry: ['250ms', '90s', '1d'],
      timeout: '30s',
      concurrencyPerRegistration: 1,
    };
    expect(WebhookSettings.parse(settings)).toEqual({
      ...settings,
      retry: [250, 90_000, 86_400_000],
      timeout: 30_000,
    });
  });

  it('accept an empty schedule: no retry', () => {
    expect(WebhookSettings.parse({ retry: [] })).toMatchObject({ retry: [] });
  });

  it.each([
    [{ allow: ['10.0.0.0/33'] }, 'expected an address range'],
    [{ allow: '10.0.0.0/8' }, 'expected array'],
    [{ retry: ['5'] }, 'expected a duration'],
    [{ retry: [5] }, 'expected a duration'],
    [{ retry: ['1ms'] }, 'from 10ms to 7d'],
    [{ retry: ['8d'] }, 'from 10ms to 7d'],
    [{ retry: Array(21).fill('1s') }, 'Too big'],
    [{ timeout: '31s' }, 'from 1s to 30s'],
    [{ timeout: '999ms' }, 'from 1s to 30s'],
    [{ timeout: '1 fortnight' }, 'expected a duration'],
    [{ concurrencyPerRegistration: 0 }, '>=1'],
    [{ disableAfter: '59m' }, 'from 1h to 90d'],
    [{ disableAfter: 'never' }, 'expected a duration'],
    [{ concurrency: 8 }, 'Unrecognized key'],
  ])('refuse %j', (settings, message) => {
    expect(() => WebhookSettings.parse(settings)).toThrow(message);
  });
});
