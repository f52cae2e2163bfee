import type { ParserOf } from '@leitstand/contract/parsers'
import type { Secrets } from '../../../../platform/secrets.ts'
import type { RunnableDriver } from '../../run.ts'

/** The token of an HTTP parser. It is sent only to the origin it was entered for. */
export interface ParserSecret {
  /** e.g. `https://parser.example.org` */
  origin: string
  /** by `platform/secrets.ts` */
  sealed: string
}

const purposeOf = (driverId: number) => `driver-parser:${driverId}`

/** Seals a token for the address of a driver's parser. */
export function sealBearer(secrets: Secrets, driverId: number, url: string, bearer: string): ParserSecret {
  return { origin: new URL(url).origin, sealed: secrets.seal(bearer, purposeOf(driverId)) }
}

/** Header with the entered token, else with the stored one if it belongs to this origin. */
export function authorization(
  { driverId, parser, bearer, parserSecret = null }: RunnableDriver<ParserOf<'url'>>,
  secrets: Secrets,
): { authorization?: string } {
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` }
  if (parserSecret === null || parserSecret.origin !== new URL(parser.url).origin) return {}
  return { authorization: `Bearer ${secrets.open(parserSecret.sealed, purposeOf(driverId))}` }
}
