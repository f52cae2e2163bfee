import * as z from 'zod'
import { checkRemote, receivingSettings, remoteSettings, TopicFilter } from '../parts.ts'

/** Minimum length of the password. */
export const brokerPasswordLengthMin = 8

/**
 * The built-in broker: clients sign in with `username` and `password` and may publish below `publishTopics`
 * and subscribe to `subscribeTopics`. `{username}` in a topic is replaced by the user name.
 */
export const MqttBrokerSettings = z
  .object({
    username: z.string().regex(/^[A-Za-z0-9_.@-]{3,100}$/, '3 to 100 letters, digits, _ . @ -'),
    /** an empty value in an update keeps the stored one; never returned */
    password: z.string().max(200).default(''),
    publishTopics: z.array(TopicFilter).min(1).max(50).default(['{username}/#']),
    subscribeTopics: z.array(TopicFilter).max(50).default([]),
    ...remoteSettings,
    ...receivingSettings,
  })
  .superRefine(checkRemote)
  .superRefine(({ password }, context) => {
    if (password === '' || password.length >= brokerPasswordLengthMin) return
    const minimum = brokerPasswordLengthMin
    context.addIssue({
      code: 'too_small',
      origin: 'string',
      minimum,
      inclusive: true,
      input: password,
      path: ['password'],
    })
  })
