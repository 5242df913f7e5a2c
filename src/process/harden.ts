/**
 * Import this first. Attribute names come from clients, and several libraries in a SCIM stack
 * resolve them as paths (`name.__proto__.x`). Without the accessor, such a path is a missing key and
 * cannot reach Object.prototype; `Object.getPrototypeOf` still works. The same as
 * `node --disable-proto=delete`, without depending on the command line.
 */
Reflect.deleteProperty(Object.prototype, '__proto__');
