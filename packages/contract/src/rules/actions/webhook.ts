import * as z from 'zod'
import { Id, limits } from '../../common.ts'

/** Maximum size of a message, with its values filled in. */
export const messageBytesMax = 64 * 1024

export const webhookFormats = ['standard', 'json', 'text'] as const

/**
 * Sends a message through a connector of the account that can deliver. Its content:
 * - `standard`: `{ rule: { id, title }, twin: { id, title }, time, values: { alias: value } }`
 * - `json`: `text` is JSON with placeholders: within a text they insert text, elsewhere the value itself
 * - `text`: `text` with placeholders
 */
export const WebhookAction = z.object({
  kind: z.literal('webhook'),
  connectorId: Id,
  format: z.enum(webhookFormats).default('standard'),
  text: z.string().max(limits.textLengthMax).default(''),
})
export type WebhookAction = z.infer<typeof WebhookAction>
