/** A script as servers know it: its text, and the digest under which they may have it already. */
import { createHash } from 'node:crypto'
import * as lua from './lua.ts'

export interface Script {
  readonly name: string
  readonly text: string
  readonly sha: string
}

function script(name: string, text: string): Script {
  return { name, text, sha: createHash('sha1').update(text).digest('hex') }
}

type Verb =
  | 'agree'
  | 'open'
  | 'enter'
  | 'ask'
  | 'leave'
  | 'amend'
  | 'beat'
  | 'beatBare'
  | 'finish'
  | 'evict'
  | 'inspect'
  | 'list'
  | 'cellGet'
  | 'cellSet'
  | 'cellAdd'
  | 'cellRemove'
  | 'touch'

export const scripts: Readonly<Record<Verb, Script>> = {
  agree: script('agree', lua.AGREE),
  open: script('open', lua.OPEN),
  enter: script('enter', lua.ENTER),
  ask: script('ask', lua.ASK),
  leave: script('leave', lua.LEAVE),
  amend: script('amend', lua.AMEND),
  beat: script('beat', lua.BEAT),
  beatBare: script('beat-bare', lua.BEAT_BARE),
  finish: script('finish', lua.FINISH),
  evict: script('evict', lua.EVICT),
  inspect: script('inspect', lua.INSPECT),
  list: script('list', lua.LIST),
  cellGet: script('cell-get', lua.CELL_GET),
  cellSet: script('cell-set', lua.CELL_SET),
  cellAdd: script('cell-add', lua.CELL_ADD),
  cellRemove: script('cell-remove', lua.CELL_REMOVE),
  touch: script('touch', lua.TOUCH),
}
