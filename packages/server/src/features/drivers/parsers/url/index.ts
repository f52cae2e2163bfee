import { readOutside } from '../outside.ts'
import type { ParserKindOf } from '../types.ts'
import { UrlParsers } from './requests.ts'

const nothingAsks = { code: 'PARSER_URL_FAILED', message: 'Nothing here asks external parsers' } as const

/** A remote program called by HTTP. */
export const url: ParserKindOf<'url'> = {
  read: ({ remote }, driver, packets, options) =>
    readOutside(remote?.url, nothingAsks, driver, packets, options),
  addressOf: (parser) => parser.url,
  open: (platform) => new UrlParsers(platform),
  isUnsteady: true,
  passingFailures: ['PARSER_URL_FAILED', 'PARSER_URL_TIMEOUT', 'PARSER_URL_RESTING', 'PARSER_URL_BUSY'],
}
