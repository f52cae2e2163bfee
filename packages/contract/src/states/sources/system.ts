import * as z from 'zod'

/**
 * What the platform knows of the devices below a twin: their number, how many have errors, when one was last heard of (a
 * text), packets in the last 24 hours. `freeDisk`, in gigabytes, is for administrators of the installation.
 */
export const systemFigures = [
  'devices',
  'devicesWithErrors',
  'lastSeen',
  'packetsPerDay',
  'freeDisk',
] as const
export type SystemFigure = (typeof systemFigures)[number]

/** A figure of the platform itself. */
export const system = z.object({ figure: z.enum(systemFigures).optional() })
