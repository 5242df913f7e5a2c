#!/bin/sh
# Creates what compose.yaml mounts, unless it exists: the admin token, the secret key, and a
# certificate for localhost that you replace by your own.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p private/secrets private/certificates

[ -s private/secrets/admin-token ] || openssl rand -base64 32 > private/secrets/admin-token
[ -s private/secrets/secret-key ] || openssl rand -base64 32 > private/secrets/secret-key
if [ ! -s private/certificates/tls.crt ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout private/certificates/tls.key -out private/certificates/tls.crt 2> /dev/null
fi
# The containers read them under their own accounts; the folder around them protects them here.
chmod 755 private/secrets private/certificates
chmod 644 private/secrets/* private/certificates/*
echo 'Keep a copy of private/secrets/secret-key in your vault: without it, the database cannot be used.'
