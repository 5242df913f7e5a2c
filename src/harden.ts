/**
 * Import this first. Attribute names come from strangers, and more than one library in a SCIM
 * stack walks them as paths (`name.__proto__.x`). Without the accessor such a path is a plain
 * missing key, so nothing can reach Object.prototype through it; `Object.getPrototypeOf` still
 * works. The same as `node --disable-proto=delete`, but it cannot be forgotten on a command line.
 */
Reflect.deleteProperty(Object.prototype, '__proto__');
