/** Makes the faults of a plan happen, and takes them back when everything heals. */
import { closeHost, outlive } from './closing.ts'
import type { Host } from './host.ts'
import type { Fault } from './plan.ts'
import type { World } from './world.ts'

export function schedule(world: World): void {
  for (const fault of world.plan.faults) {
    world.kernel.at(fault.atMs, world.nature, 'timer', () => strike(world, fault))
  }
}

function strike(world: World, fault: Fault): void {
  world.trace.note(world.kernel.nowMs, 0, 99, () => `fault    ${JSON.stringify(fault)}`)
  switch (fault.kind) {
    case 'server-stall':
      world.happened('server stall')
      return world.server.stall(fault.ms)
    case 'server-step':
      world.happened('server clock step')
      return world.server.clock.step(fault.ms)
    case 'lose':
      return world.loseData()
    case 'weather':
      return change(world, fault)
    default: {
      const host = world.places[fault.place] ?? null
      if (host?.works) befall(world, host, fault)
    }
  }
}

type Personal = Extract<Fault, { readonly place: number }>

function befall(world: World, host: Host, fault: Personal): void {
  switch (fault.kind) {
    case 'stall':
      world.happened('stall')
      return host.actor.stall(fault.ms)
    case 'sleep':
      world.happened('sleep')
      return host.actor.sleep(fault.ms)
    case 'step':
      world.happened('clock step')
      return host.actor.clock.step(fault.ms)
    case 'cut':
      return host.wire?.cut(fault.ms)
    case 'partition':
      return partition(world, host, fault)
    case 'crash':
      world.happened('crash')
      die(world, host)
      return comeBack(world, fault.place, fault.backMs)
    case 'close':
      leave(world, host, fault.drainMs)
      return comeBack(world, fault.place, fault.backMs)
  }
}

/** The process ends here and now; only what it has sent goes on. */
function die(world: World, host: Host): void {
  outlive(world, host)
  host.actor.die()
  world.places[world.places.indexOf(host)] = null
}

function leave(world: World, host: Host, drainMs: number): void {
  world.places[world.places.indexOf(host)] = null
  closeHost(world, host, drainMs)
}

function comeBack(world: World, place: number, backMs: number): void {
  world.kernel.at(world.kernel.nowMs + backMs, world.nature, 'timer', () => {
    world.happened('restart')
    world.places[place] = world.start(place)
  })
}

function partition(world: World, host: Host, fault: Extract<Fault, { kind: 'partition' }>): void {
  const { wire } = host
  if (wire === null) return
  world.happened('partition')
  const { up, down } = wire.deaf
  wire.deaf.up = up + Number(fault.up)
  wire.deaf.down = down + Number(fault.down)
  world.kernel.at(world.kernel.nowMs + fault.ms, world.nature, 'timer', () => {
    wire.deaf.up -= Number(fault.up)
    wire.deaf.down -= Number(fault.down)
  })
}

function change(world: World, { weather, ms }: Extract<Fault, { kind: 'weather' }>): void {
  world.network.weather = weather
  world.kernel.at(world.kernel.nowMs + ms, world.nature, 'timer', () => {
    if (world.network.weather === weather) world.network.weather = world.plan.weather
  })
}
