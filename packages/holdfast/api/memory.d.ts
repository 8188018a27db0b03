/** A store to lock in, from `memory()`, `sqlite(file)`, … */
interface Backend {
  readonly kind: string;
}

/**
* A store in the memory of this process.
*
* Its clock is that of the Holdfast object that used it first. Nothing outlives the process, and no other process or
* thread sees it.
*/
declare function memory(): Backend;

export { memory };
