/** What `console.log` shows of our objects. Not a method of theirs: a name that is computed has no declaration. */
import type { inspect as nodeInspect } from 'node:util'

/** Node's own key for it, which needs no import. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Shows these few things of each object with that prototype, behind the title. */
export function showOnConsole<T extends object>(prototype: T, title: string, shown: (object: T) => object): void {
  const value = function (this: T, _depth: number, options: object, inspect: typeof nodeInspect): string {
    return `${title} ${inspect(shown(this), options)}`
  }
  Object.defineProperty(prototype, INSPECT, { value, configurable: true })
}
