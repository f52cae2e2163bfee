import * as z from 'zod'
import { Id, limits } from '../../common.ts'
import { StateKey } from '../../states.ts'
import { Operand } from '../operand.ts'
import { namesOneState } from './ownState.ts'

const common = {
  kind: z.literal('set-state'),
  /**
   * a constant, the value of a metric, or a script: a function body with a variable for each metric, and all of
   * them as `metrics`, that returns the value; nothing, null or undefined sets none
   */
  value: z.union([Operand, z.object({ script: z.string().trim().min(1).max(limits.scriptLengthMax) })]),
}

export const SetStateAction = z
  .object({
    ...common,
    stateId: Id.optional(),
    /** instead of `stateId`: a state of the twin that the rule runs on */
    stateKey: StateKey.optional(),
  })
  .refine(namesOneState, { message: 'one of stateId and stateKey is needed', path: ['stateId'] })
export type SetStateAction = z.infer<typeof SetStateAction>

/** In a device template: states are referenced by key. */
export const TemplateSetStateAction = z.object({ ...common, stateKey: StateKey })
export type TemplateSetStateAction = z.infer<typeof TemplateSetStateAction>
