import * as z from 'zod'
import { checkRemote, downlinkSettings, isAddress, receivingSettings, remoteSettings } from '../parts.ts'

/**
 * An incoming webhook. Downlinks are sent to `downlinkUrl` with `downlinkKey`:
 * - `tts-v3`: `…/api/v3/as/applications/{application}/webhooks/{webhook}`, a key with the right to write
 *   downlinks
 * - `chirpstack-v4`: the address of its REST API, an API key
 */
export const WebhookInSettings = z
  .object({
    ...downlinkSettings,
    downlinkUrl: z.string().trim().max(500).default(''),
    /** an empty value in an update keeps the stored one; never returned */
    downlinkKey: z.string().trim().max(1000).default(''),
    ...remoteSettings,
    ...receivingSettings,
  })
  .superRefine(({ downlinks, downlinkUrl }, context) => {
    if (downlinks !== 'none' && !isAddress(downlinkUrl))
      context.addIssue({ code: 'custom', path: ['downlinkUrl'], message: 'downlinkUrl' })
  })
  .superRefine(checkRemote)
