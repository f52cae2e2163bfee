import type { ErrorCode, PacketFault } from '@leitstand/contract/errors'
import type { Parser, ParserKind, ParserOf } from '@leitstand/contract/parsers'
import type { Context } from '../../../platform/context.ts'
import type { Decoded, ParserTools, ReadyPacket, RunnableDriver } from '../run.ts'

/** A packet for a remote parser. */
export interface RemotePacket {
  time: Date
  fPort: number | null
  encoding: 'hex' | 'json'
  /** hexadecimal digits in pairs, or JSON text */
  payload: string
  /** JSON text */
  meta: string
}

/** The result of a remote parser for a packet, like that of the script engine. */
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

/** The account of the data, and the relation of a call to live traffic. */
export interface RunOptions {
  /**
   * The account of the data: that of the device, or of the user who tries a parser. Contexts and processes
   * are never shared between accounts, regardless of the author of the parser.
   */
  dataAccountId: number
  /** a trial by a user */
  isTrial?: boolean
  console?: boolean
  /** waits without limit, separately from live packets; otherwise calls beyond the limits get an error */
  patient?: boolean
}

/** A remote parser. Results are in the order of the packets; never rejects. */
export interface RemoteParser<P extends Parser = Parser> {
  run(
    driver: RunnableDriver<P>,
    packets: readonly RemotePacket[],
    options: RunOptions,
  ): Promise<RemoteAnswer[]>
}

/** The result of inspecting a parser without running it. */
export interface Inspection {
  ok: boolean
  /** name of the recognised function signature */
  family: string | null
  /** it keeps state between packets */
  stateful: boolean
  problem: Decoded['error']
}

/** Dependencies of inspecting a parser. */
export type InspectionTools = Pick<Context, 'scripts' | 'elixir'>

/** A kind of parser, each in its own folder here. */
export interface ParserKindOf<K extends ParserKind> {
  /** One result per packet, in order; never rejects because of a parser. */
  read(
    tools: ParserTools,
    driver: RunnableDriver<ParserOf<K>>,
    packets: readonly ReadyPacket[],
    options: RunOptions,
  ): Promise<Decoded[]> | Decoded[]
  /** Compiles its script, at the expense of an account. */
  inspect?(tools: InspectionTools, script: string, accountId: number): Promise<Inspection>
  /** Whether its engine is missing here. The parser can still be stored and edited. */
  isMissing?(tools: Pick<InspectionTools, 'elixir'>): Promise<boolean>
  /** The URL a token of the driver is sent to; absent: the kind has no tokens. */
  addressOf?(parser: ParserOf<K>): string
  /** Opens the remote parser. Its packets wait for it before they are queued. */
  open?(platform: Context): RemoteParser<ParserOf<K>> & Partial<AsyncDisposable>
  /** It may return different results for the same packet. */
  readonly isUnsteady?: boolean
  /** Packets of several accounts never share a call, not even for a delivered parser. */
  readonly isApart?: boolean
  /** codes of temporary failures: the same packet may succeed later */
  readonly passingFailures?: readonly ErrorCode[]
}
