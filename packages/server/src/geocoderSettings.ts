import * as z from 'zod'

export const geocoderKinds = ['photon', 'nominatim'] as const
export type GeocoderKind = (typeof geocoderKinds)[number]

/** The geocoder of an installation. */
export interface GeocoderSettings {
  kind: GeocoderKind
  /** without a slash at the end */
  url: string
  /** sent with every request, such as the key of a provider */
  headers: Readonly<Record<string, string>>
  /** e-mail address of the operator, part of the user agent; empty: none */
  contact: string
  /** credit for the data, shown below results */
  attribution: string
  /** requests per second of the whole installation */
  perSecond: number
}

/** The variables of the environment. */
export const GeocoderEnvironment = {
  GEOCODER_URL: z
    .string()
    .max(1000)
    .refine((text) => {
      const url = URL.parse(text)
      return (
        url !== null && ['http:', 'https:'].includes(url.protocol) && url.search === '' && url.hash === ''
      )
    }, 'must be an address that starts with https:// or http://, without a query')
    .optional(),
  GEOCODER_KIND: z.enum(geocoderKinds, `must be ${geocoderKinds.join(' or ')}`).optional(),
  GEOCODER_CONTACT: z
    .string()
    .regex(/^[!-~]+@[!-~]+$/, 'must be an e-mail address')
    .optional(),
  GEOCODER_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}: *[!-~][ -~]{0,999}$/, 'must be a header like X-Api-Key: 4711')
    .optional(),
  GEOCODER_ATTRIBUTION: z.string().max(200).default('© OpenStreetMap contributors'),
  GEOCODER_PER_SECOND: z.coerce
    .number('must be a number')
    .min(0.1, 'must be at least 0.1')
    .max(100, 'must be at most 100')
    .default(1),
}

const Environment = z.object(GeocoderEnvironment)

/**
 * The geocoder an operator configures, null without one, or what is wrong.
 * @param operator their e-mail address, unless `GEOCODER_CONTACT` is another
 */
export function readGeocoder(
  seen: z.infer<typeof Environment>,
  operator: string,
): { geocoder: GeocoderSettings | null } | { problem: string } {
  const { GEOCODER_URL: url, GEOCODER_KIND: kind, GEOCODER_HEADER: header } = seen
  if (url === undefined && kind === undefined) return { geocoder: null }
  if (url === undefined || kind === undefined)
    return { problem: 'GEOCODER_URL and GEOCODER_KIND belong together: set both or none' }
  const contact = seen.GEOCODER_CONTACT ?? (operator.endsWith('@localhost') ? '' : operator)
  // Its usage policy asks for it, and blocks programs that do not say who they are.
  if (contact === '' && isPublicNominatim(url))
    return { problem: 'GEOCODER_CONTACT must be set: the usage policy of this Nominatim asks for it' }
  const colon = header?.indexOf(':') ?? 0
  return {
    geocoder: {
      kind,
      url: url.replace(/\/+$/, ''),
      headers: header === undefined ? {} : { [header.slice(0, colon)]: header.slice(colon + 1).trim() },
      contact,
      attribution: seen.GEOCODER_ATTRIBUTION,
      // More is not allowed there, whatever is configured.
      perSecond: isPublicNominatim(url) ? Math.min(1, seen.GEOCODER_PER_SECOND) : seen.GEOCODER_PER_SECOND,
    },
  }
}

function isPublicNominatim(url: string): boolean {
  return /(^|\.)openstreetmap\.org$/.test(new URL(url).hostname)
}
