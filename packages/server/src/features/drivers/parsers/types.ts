import type { ErrorCode, PacketFault } from '@leitstand/contract/errors'
import type { Parser, ParserKind, ParserOf } from '@leitstand/contract/parsers'
import type { Context } from '../../../platform/context.ts'
import type { Decoded, ParserTools, ReadyPacket, RunnableDriver } from '../run.ts'

/** A packet on its way to a parser outside of this process. */
export interface RemotePacket {
  time: Date
  fPort: number | null
  encoding: 'hex' | 'json'
  /** hexadecimal digits in pairs, or JSON text */
  payload: string
  /** JSON text */
  meta: string
}

/** What such a parser says of a packet, as the script engine does of its inputs. */
export type RemoteAnswer =
  | {
      ok: true
      value: unknown
      durationUs: number
      warnings?: readonly string[]
      console?: readonly string[]
    }
  | {
      ok: false
      error: PacketFault & { line?: number; column?: number }
      durationUs: number
      console?: readonly string[]
    }

/** Whose data is read, and how a call stands to live traffic. */
export interface RunOptions {
  /**
   * The account whose data it is: that of the device, or of whoever tries a parser. Contexts and processes are never
   * shared between two of them, whoever has written the parser.
   */
  dataAccountId: number
  /** tried by somebody */
  isTrial?: boolean
  console?: boolean
  /** waits as long as it takes, apart from live packets; otherwise what is too much is answered with an error */
  patient?: boolean
}

/** A parser outside of this process; answers come in the order of the packets, and it never rejects. */
export interface RemoteParser<P extends Parser = Parser> {
  run(
    driver: RunnableDriver<P>,
    packets: readonly RemotePacket[],
    options: RunOptions,
  ): Promise<RemoteAnswer[]>
}

/** What can be said of a parser without running it. */
export interface Inspection {
  ok: boolean
  /** how the script is to be called, by the name of the signature that was recognised */
  family: string | null
  /** it keeps state between packets */
  stateful: boolean
  problem: Decoded['error']
}

/** What inspecting a parser needs of the platform. */
export type InspectionTools = Pick<Context, 'scripts' | 'elixir'>

/** One kind of parser: a folder beside this file. */
export interface ParserKindOf<K extends ParserKind> {
  /** One answer per packet in their order; never rejects for what a parser does. */
  read(
    tools: ParserTools,
    driver: RunnableDriver<ParserOf<K>>,
    packets: readonly ReadyPacket[],
    options: RunOptions,
  ): Promise<Decoded[]> | Decoded[]
  /** Compiles its script, at the expense of an account. */
  inspect?(tools: InspectionTools, script: string, accountId: number): Promise<Inspection>
  /** Whether what runs it is missing here. It can still be stored and edited. */
  isMissing?(tools: Pick<InspectionTools, 'elixir'>): Promise<boolean>
  /** The address that a token of the driver is sent to; absent: such parsers have none. */
  addressOf?(parser: ParserOf<K>): string
  /** Opens what reads packets outside of this process. Packets then wait for somebody else before they are in the queue. */
  open?(platform: Context): RemoteParser<ParserOf<K>> & Partial<AsyncDisposable>
  /** Of the same packet it may answer something else another time. */
  readonly isUnsteady?: boolean
  /** Packets of several accounts never go in one call, not even to a parser that came with the platform. */
  readonly isApart?: boolean
  /** codes that say nothing of the packet: asked again later the answer may be another one */
  readonly passingFailures?: readonly ErrorCode[]
}
