/** A store to lock in, from `memory()`, `sqlite(file)`, … */
interface Backend {
  readonly kind: string;
}

/**
* @param backends at least three stores that know nothing of each other, such as `redis(client)`, of one kind
* @throws {TypeError | RangeError} naming what is wrong with them
*/
declare function quorum(backends: readonly Backend[]): Backend;

export { type Backend, quorum };
