import type { JsonValue } from '@leitstand/contract/common'
import type { ParserOf } from '@leitstand/contract/parsers'
import type { ElixirEngine } from '../../../../platform/elixir/engine.ts'
import type { RunnableDriver } from '../../run.ts'
import type { RemoteAnswer, RemotePacket, RemoteParser, RunOptions } from '../types.ts'

/**
 * Parsers in Elixir: `parse/2` gets the bytes or the JSON data of a packet, and its metadata. Delivered
 * parsers also run in the process of the account whose data they decode.
 */
export class ElixirParsers implements RemoteParser<ParserOf<'elixir'>> {
  readonly #engine: ElixirEngine

  constructor(engine: ElixirEngine) {
    this.#engine = engine
  }

  run(
    { script }: RunnableDriver<ParserOf<'elixir'>>,
    packets: readonly RemotePacket[],
    { dataAccountId, isTrial = false }: RunOptions,
  ): Promise<RemoteAnswer[]> {
    const inputs = packets.map(({ payload, encoding, ...packet }) => ({
      payload: encoding === 'hex' ? Buffer.from(payload, 'hex') : (JSON.parse(payload) as JsonValue),
      meta: metaOf(packet),
    }))
    return this.#engine.run(script, inputs, { accountId: dataAccountId, isTrial })
  }
}

type Json = Record<string, JsonValue>

/** As a function in JavaScript gets it: with `time` and `lora.fport`, where the packet does not bring its own. */
function metaOf({ time, fPort, meta: text }: Pick<RemotePacket, 'time' | 'fPort' | 'meta'>): Json {
  const meta = JSON.parse(text) as Json
  const { lora } = meta
  const radio = typeof lora === 'object' && lora !== null && !Array.isArray(lora) ? lora : {}
  const port: Json = fPort === null ? {} : { lora: { fport: fPort, ...radio } }
  return { time: time.toISOString(), ...meta, ...port }
}
