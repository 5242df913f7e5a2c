import { describe, expect, it } from 'vitest';
import { browserUrlOf } from '../../config/is-loopback.js';

describe('the address for browsers', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://localhost:8080'],
    ['http://127.0.0.1', 'http://localhost'],
    ['http://[::1]:8080/base', 'http://localhost:8080/base'],
    ['http://127.0.0.2:8080', 'http://127.0.0.2:8080'],
    ['http://127.0.0.1.example.com', 'http://127.0.0.1.example.com'],
    ['https://rollgate.example.com', 'https://rollgate.example.com'],
  ])('of %s is %s', (url, expected) => {
    expect(browserUrlOf(url)).toBe(expected);
  });
});
