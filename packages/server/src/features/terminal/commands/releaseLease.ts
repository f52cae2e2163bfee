import * as z from 'zod'
import { AppError } from '../../../platform/errors.ts'
import { message } from '../output.ts'
import { type Run, repairing } from '../types.ts'

const lease = { name: 'lease', schema: z.string().regex(/^[a-zA-Z0-9.-]{1,100}$/) }

function holderOf({ ctx }: Pick<Run, 'ctx'>, key: string): string {
  const holder = ctx.nodes.members().find(({ leases }) => leases.includes(key))
  if (holder === undefined) throw new AppError('TERMINAL_LEASE_NOT_FOUND')
  return holder.name
}

/** Lets a node give up a lease: what it does for all nodes stops, and begins again where it belongs. */
export const releaseLease = repairing(lease, {
  preview: async (run, key) => [message('wouldRelease', { lease: key, node: holderOf(run, key) })],
  work: async (run, key) => {
    const node = holderOf(run, key)
    await run.ctx.nodes.release(key)
    return [message('released', { lease: key, node })]
  },
})
