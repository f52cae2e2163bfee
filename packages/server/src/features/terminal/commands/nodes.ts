import { table } from '../output.ts'
import { reading } from '../types.ts'

/** The nodes, and which of them has which lease. */
export const nodes = reading(async ({ ctx }) => {
  const members = ctx.nodes.members()
  const leases = members.flatMap(({ name, leases: held }) => held.map((lease) => ({ lease, node: name })))
  const listed = table(
    [
      'node',
      'alive',
      'version',
      'roles',
      'leases',
      'processors',
      'memoryMb',
      'packetsWaiting',
      'eventsLateMs',
    ],
    members.map((member) => ({
      node: member.name,
      alive: member.isAlive,
      version: member.version,
      roles: member.roles.join(' '),
      leases: member.leases.length,
      processors: Math.round(member.processors * 100) / 100,
      memoryMb: Math.round(member.memoryBytes / 1e6),
      packetsWaiting: member.packetsWaiting,
      eventsLateMs: Math.round(member.eventsLateMs),
    })),
  )
  return leases.length === 0 ? [listed] : [listed, table(['lease', 'node'], leases)]
})
