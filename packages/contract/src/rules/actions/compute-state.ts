import * as z from 'zod'
import { Id } from '../../common.ts'
import { StateKey } from '../../states.ts'
import { namesOneState } from './ownState.ts'

const common = { kind: z.literal('compute-state') }

/** Computes an aggregate now, instead of waiting for its sources. It must not be one of the rule's metrics. */
export const ComputeStateAction = z
  .object({
    ...common,
    stateId: Id.optional(),
    /** instead of `stateId`: a state of the twin that the rule runs on */
    stateKey: StateKey.optional(),
  })
  .refine(namesOneState, { message: 'one of stateId and stateKey is needed', path: ['stateId'] })
export type ComputeStateAction = z.infer<typeof ComputeStateAction>

/** In a device template: states are referenced by key. */
export const TemplateComputeStateAction = z.object({ ...common, stateKey: StateKey })
export type TemplateComputeStateAction = z.infer<typeof TemplateComputeStateAction>
