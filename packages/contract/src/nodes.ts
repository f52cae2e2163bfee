import * as z from 'zod'
import { operation, Time } from './common.ts'
import { may } from './permissions.ts'

/**
 * What a node does. `web`: API, console and live connection; `connect`: connectors; `ingest`: stores packets;
 * `derive`: computed states, rules, alarms and everything else that follows events; `jobs`: background jobs.
 */
export const nodeRoles = ['web', 'connect', 'ingest', 'derive', 'jobs'] as const
export const NodeRole = z.enum(nodeRoles)
export type NodeRole = z.infer<typeof NodeRole>

/** Partitions of the packets of several nodes. */
export const packetPartitions = 64

/** `unreachable`: NATS; `streamGone`: somebody has deleted the stream of packets. */
export const nodeProblems = ['unreachable', 'streamGone'] as const
export type NodeProblem = (typeof nodeProblems)[number]

export const PlatformNode = z.object({
  name: z.string(),
  roles: z.array(NodeRole),
  /** version of Leitstand */
  version: z.string(),
  /** newest migration it knows */
  schema: z.string(),
  startedAt: Time,
  /** false: it has been silent for some seconds, others take over */
  isAlive: z.boolean(),
  /** milliseconds since it was heard of */
  heardMs: z.number(),
  /** it has answered this request */
  isSelf: z.boolean(),
  /** partitions of packets that it stores; none on a single node */
  partitions: z.array(z.number()),
  /** connections to external brokers that it holds for all nodes */
  connectors: z.number(),
  /** share of the accounts whose states it computes and whose rules it runs now, 0 to 1 */
  accountShare: z.number(),
  /** packets that it has yet to store */
  packetsWaiting: z.number(),
  /** age of the oldest event it has read and not handled, in ms; 0: there is none */
  eventsLateMs: z.number(),
  /** processors in use, 1 = one of them */
  processors: z.number(),
  memoryBytes: z.number(),
})
export type PlatformNode = z.infer<typeof PlatformNode>

export const nodes = {
  list: operation
    .meta({ rule: may('super.system', 'manage') })
    .route({
      method: 'GET',
      path: '/system/nodes',
      tags: ['system'],
      summary: 'The nodes of the installation',
    })
    .output(
      z.object({
        /** whether there may be several, connected by NATS */
        isCluster: z.boolean(),
        /** why this node cannot do its work; null: it can */
        problem: z.enum(nodeProblems).nullable(),
        /** at most a few hundred, by name */
        nodes: z.array(PlatformNode),
      }),
    ),
}
