import { failed, meantBy } from '../../decoded.ts'
import type { ParserKindOf } from '../types.ts'

/** Without a parser a JSON payload is its own variables; bytes mean nothing. */
export const unset: ParserKindOf<'unset'> = {
  read: (_tools, _driver, packets) =>
    packets.map(({ encoding, payload, time }) =>
      encoding === 'hex'
        ? failed({ code: 'PARSER_UNSET', message: 'The driver has no parser yet' }, 0, [])
        : meantBy(JSON.parse(payload), time, { durationUs: 0, console: [] }),
    ),
}
