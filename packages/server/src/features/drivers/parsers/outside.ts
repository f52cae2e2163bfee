import type { PacketFault } from '@leitstand/contract/errors'
import type { Parser } from '@leitstand/contract/parsers'
import { failed, toDecoded } from '../decoded.ts'
import type { Decoded, ReadyPacket, RunnableDriver } from '../run.ts'
import type { RemoteParser, RunOptions } from './types.ts'

/**
 * Decodes packets with a remote parser.
 * @param missing the error for every packet if there is no such parser
 */
export async function readOutside<P extends Parser>(
  parser: RemoteParser<P> | undefined,
  missing: PacketFault,
  driver: RunnableDriver<P>,
  packets: readonly ReadyPacket[],
  options: RunOptions,
): Promise<Decoded[]> {
  if (parser === undefined) return packets.map(() => failed(missing, 0, []))
  const answers = await parser.run(driver, packets, options)
  return packets.map(({ time }, index) => {
    const answer = answers[index]
    if (!answer) throw new Error('a parser answered fewer packets than it got')
    return toDecoded(answer, time)
  })
}
