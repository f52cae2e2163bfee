import * as z from 'zod'
import { Id } from '../../common.ts'
import { StateKey } from '../../states.ts'

const common = { kind: z.literal('compute-state') }

/** Computes an aggregate now, instead of waiting for its sources. It must not be one of the rule's metrics. */
export const ComputeStateAction = z.object({ ...common, stateId: Id })
export type ComputeStateAction = z.infer<typeof ComputeStateAction>

/** In a device template: states are referenced by key. */
export const TemplateComputeStateAction = z.object({ ...common, stateKey: StateKey })
export type TemplateComputeStateAction = z.infer<typeof TemplateComputeStateAction>
