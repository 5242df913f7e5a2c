import { describe, expect, it } from 'vitest';
import { connectionStringFault } from '../../config/connection-string.js';

const NOT_ENCODED = /^has a user name or password that is not percent-encoded: write @ as %40/;

describe('a connection string', () => {
  it.each([
    'mongodb://db',
    'mongodb://db.example:27017/rollgate?replicaSet=rs0&w=majority',
    'mongodb://a.example:27017,b.example,[::1]:27018/?tls=true',
    'mongodb://ada:p%40ss%25@db/rollgate?appName=me@x&',
    'mongodb://ada@db/?authMechanism=MONGODB-X509',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/rollgate',
    'mongodb+srv://ada:hunter2@cluster.example/rollgate',
  ])('is accepted: %s', (uri) => {
    expect(connectionStringFault(uri)).toBeUndefined();
  });

  it.each([
    ['postgres://db', /^expected a connection string/],
    ['mongodb://', /^expected a connection string/],
    ['mongodb://ada:hun@ter2@db', NOT_ENCODED],
    ['mongodb://ada:hun/ter2@db', NOT_ENCODED],
    ['mongodb://ada:hun:ter2@db', NOT_ENCODED],
    ['mongodb://ada:hun#ter2@db', NOT_ENCODED],
    ['mongodb://ada:hun%ter2@db', NOT_ENCODED],
    ['mongodb://:hunter2@db', NOT_ENCODED],
    ['mongodb://ada:hunter2@', /^host 1 is missing or is not a name or an address$/],
    ['mongodb://ada:hunter2@a,,b', /^host 2 is missing or is not a name or an address$/],
    ['mongodb://ada:hunter2@a:27017,b:0', /^the port of host 2 is not a number from 1 to 65535$/],
    ['mongodb://ada:hunter2@a:65536', /^the port of host 1 is not a number from 1 to 65535$/],
    ['mongodb://ada:hun?ter2@db', /^the port of host 1 is not a number from 1 to 65535$/],
    ['mongodb://ada:hunter2@a:', /^the port of host 1 is not a number from 1 to 65535$/],
    ['mongodb+srv://ada:hunter2@a:27017', /^takes one host name without a port/],
    ['mongodb+srv://ada:hunter2@a,b', /^takes one host name without a port/],
    ['mongodb://ada:hunter2@a/x?w=1&tls', /^option 2 is not written as name=value$/],
  ])('is refused by its wrong part, without the password: %s', (uri, fault) => {
    const found = connectionStringFault(uri);
    expect(found).toMatch(fault);
    expect(found).not.toMatch(/hun|ter2/);
  });
});
