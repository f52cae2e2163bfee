import { table } from '../output.ts'
import { reading } from '../types.ts'

/** The nodes and what they do. */
export const nodes = reading(async ({ ctx }) => [
  table(
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
    ctx.nodes.members().map((member) => ({
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
  ),
])
