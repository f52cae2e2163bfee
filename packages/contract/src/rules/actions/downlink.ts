import * as z from 'zod'
import { Id, limits } from '../../common.ts'
import { downlinkLimits } from '../../downlinkPayload.ts'
import { Operand } from '../operand.ts'

/**
 * Sends a downlink to a device; null: the device the rule is on. Either one of the driver's downlinks, its
 * parameters being constants or metrics, or a payload that a script computes: a function body with a variable
 * for each metric that returns hexadecimal text or an array of bytes.
 */
export const DownlinkAction = z.object({
  kind: z.literal('downlink'),
  deviceId: Id.nullable(),
  content: z.discriminatedUnion('from', [
    z.object({
      from: z.literal('predefined'),
      name: z.string().trim().min(1).max(100),
      // Counted before they are checked: each one that is invalid would be an issue of its own.
      values: z
        .record(z.string(), z.unknown())
        .refine((values) => Object.keys(values).length <= downlinkLimits.parametersMax, 'too many parameters')
        .pipe(z.record(z.string().max(50), Operand))
        .default({}),
    }),
    z.object({
      from: z.literal('script'),
      script: z.string().trim().min(1).max(limits.scriptLengthMax),
      port: z.int().min(1).max(downlinkLimits.portMax),
      confirmed: z.boolean().default(false),
    }),
  ]),
  /** it is not sent later than this, e.g. to a device that listens rarely */
  validMinutes: z.int().min(1).max(downlinkLimits.validMinutesMax).default(60),
})
export type DownlinkAction = z.infer<typeof DownlinkAction>
