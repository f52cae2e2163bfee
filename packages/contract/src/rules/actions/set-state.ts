import * as z from 'zod'
import { Id } from '../../common.ts'
import { StateKey } from '../../states.ts'
import { Operand } from '../operand.ts'

const common = {
  kind: z.literal('set-state'),
  /** a constant, or the value of a metric */
  value: Operand,
}

export const SetStateAction = z.object({ ...common, stateId: Id })
export type SetStateAction = z.infer<typeof SetStateAction>

/** In a device template: states are referenced by key. */
export const TemplateSetStateAction = z.object({ ...common, stateKey: StateKey })
export type TemplateSetStateAction = z.infer<typeof TemplateSetStateAction>
