import * as z from 'zod'
import { checkRemote, downlinkSettings, receivingSettings, remoteSettings, TopicFilter } from '../parts.ts'

/**
 * A client of an external broker; QoS 1 and a persistent session, so that nothing is lost while we are
 * disconnected.
 */
export const MqttInSettings = z
  .object({
    host: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'host name or address without protocol and path'),
    port: z.int().min(1).max(65_535).default(1883),
    tls: z.boolean().default(false),
    /** accept self-signed certificates */
    allowSelfSigned: z.boolean().default(false),
    username: z.string().max(200).default(''),
    /** an empty value in an update keeps the stored one; never returned */
    password: z.string().max(200).default(''),
    clientId: z.string().max(100).default(''),
    topics: z.array(TopicFilter).min(1).max(50),
    ...downlinkSettings,
    ...remoteSettings,
    ...receivingSettings,
  })
  .superRefine(checkRemote)
