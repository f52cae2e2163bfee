import * as z from 'zod'
import { operation } from './common.ts'
import { anyOf, may } from './permissions.ts'

export const geocoderLimits = {
  /** characters of the text that is looked up */
  textMax: 200,
  /** places of an answer */
  placesMax: 8,
  /** characters of an address, as twins and devices have it */
  addressMax: 500,
} as const

/** A place the geocoder found. */
export const FoundPlace = z.object({
  /** everything the geocoder says about it, in one line, to tell it from others */
  title: z.string(),
  /** street, number, postal code and town, as far as they are known */
  address: z.string(),
  latitude: z.number(),
  longitude: z.number(),
})
export type FoundPlace = z.infer<typeof FoundPlace>

const Places = z.object({ items: z.array(FoundPlace).max(geocoderLimits.placesMax) })
/** For users who can give a place to something. */
const rule = anyOf(may('DigitalTwin', 'write'), may('VirtualDevice', 'write', 'manage'))
/** A request may wait for its turn before the geocoder is asked. */
const clientTimeoutMs = 20_000

/** Addresses and their coordinates, from the geocoder that the operator has configured; in the language of the request. */
export const geocoder = {
  /** Whether there is a geocoder, and whom to credit for its data. */
  state: operation
    .meta({ rule: 'session' })
    .route({
      method: 'GET',
      path: '/geocoder',
      tags: ['twins'],
      summary: 'Whether addresses can be looked up',
    })
    .output(z.object({ enabled: z.boolean(), attribution: z.string() })),
  /** Refused with GEOCODER_OFF without a geocoder, and with TOO_MANY_REQUESTS above the rate of a user. */
  search: operation
    .meta({ rule, clientTimeoutMs })
    .route({ method: 'GET', path: '/geocoder/search', tags: ['twins'], summary: 'Places with an address' })
    .input(z.object({ text: z.string().trim().min(2).max(geocoderLimits.textMax) }))
    .output(Places),
  /** The address nearest to a position; an empty list if there is none. */
  reverse: operation
    .meta({ rule, clientTimeoutMs })
    .route({ method: 'GET', path: '/geocoder/reverse', tags: ['twins'], summary: 'Address of a position' })
    .input(
      z.object({
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
      }),
    )
    .output(Places),
}
