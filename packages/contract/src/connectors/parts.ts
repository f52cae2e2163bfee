import * as z from 'zod'
import { limits } from '../common.ts'
import { downlinkWays } from '../downlinks.ts'
import { isTtsId } from '../identifiers.ts'

/** Settings shared by several kinds of connectors. */

/** How external messages become standard packets: a built-in preset, or a custom template script. */
export const presets = ['standard', 'tts-v3', 'chirpstack-v4', 'template'] as const
export const Preset = z.enum(presets)
export type Preset = z.infer<typeof Preset>

/** Network servers whose devices can be listed, read and deleted; `none`: the connector has no access. */
export const remoteSystems = ['none', 'tts-v3', 'chirpstack-v4'] as const
export const RemoteSystem = z.enum(remoteSystems)
export type RemoteSystem = z.infer<typeof RemoteSystem>

/** How messages are parsed, for every kind that receives. */
export const receivingSettings = {
  /**
   * Sustained rate limit of the connector in messages a second, with a burst of five seconds; null: only the
   * limit of the account applies. Above it HTTP returns 429, and MQTT sockets are not read until there is
   * room again.
   */
  messagesPerSecond: z.int().min(1).max(limits.messagesPerSecondMax).nullable().default(null),
  preset: Preset.default('standard'),
  /** used with preset `template`: `module.exports = function (payload, meta)` returning one packet or an array */
  template: z.string().max(limits.scriptLengthMax).default(''),
}

/**
 * Access to the devices of the network server behind a connector:
 * - `tts-v3`: the address of The Things Stack, an application id, a key with the rights to view and to edit
 *   devices
 * - `chirpstack-v4`: the address of its REST API, the id of an application, an API key
 *
 * A schema with these settings also needs the refinement `checkRemote`.
 */
export const remoteSettings = {
  remote: RemoteSystem.default('none'),
  remoteUrl: z.string().trim().max(500).default(''),
  remoteApplication: z.string().trim().max(100).default(''),
  /** an empty value in an update keeps the stored one; never returned */
  remoteKey: z.string().trim().max(1000).default(''),
}

interface RemoteAccess {
  remote: RemoteSystem
  remoteUrl: string
  remoteApplication: string
}

/** URL without query, fragment and credentials. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Address and application are required if devices of a network server are to be accessed. */
export function checkRemote(
  { remote, remoteUrl, remoteApplication }: RemoteAccess,
  context: z.RefinementCtx<RemoteAccess>,
): void {
  const fault = (field: keyof RemoteAccess) =>
    context.addIssue({ code: 'custom', path: [field], message: field })
  if (remote !== 'none' && !isAddress(remoteUrl)) fault('remoteUrl')
  const isApplication = remote === 'tts-v3' ? isTtsId(remoteApplication) : uuid.test(remoteApplication)
  if (remote !== 'none' && !isApplication) fault('remoteApplication')
}

/** For kinds that can send downlinks to a network server. */
export const downlinkSettings = {
  /** how downlinks to its devices are sent to the network server; `none`: not at all */
  downlinks: z.enum(downlinkWays).default('none'),
}

/** An MQTT topic filter: `+` one level, `#` the rest. */
export const TopicFilter = z
  .string()
  .min(1)
  .max(500)
  .refine((filter) => {
    const levels = filter.split('/')
    return levels.every(
      (level, index) =>
        (level === '#' && index === levels.length - 1) ||
        level === '+' ||
        (!level.includes('+') && !level.includes('#') && !level.includes('\0')),
    )
  }, 'not a topic filter')
