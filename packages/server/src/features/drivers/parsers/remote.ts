import type { ErrorCode, PacketFault } from '@leitstand/contract/errors'
import type { RunnableDriver } from '../run.ts'

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
export interface RemoteParser {
  run(driver: RunnableDriver, packets: readonly RemotePacket[], options: RunOptions): Promise<RemoteAnswer[]>
}

/** Codes that say nothing of the packet: asked again later the answer may be another one. */
export const passingFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SCRIPT_ENGINE_BUSY',
  'PARSER_ELIXIR_OVER_BUDGET',
  'PARSER_URL_FAILED',
  'PARSER_URL_TIMEOUT',
  'PARSER_URL_RESTING',
  'PARSER_URL_BUSY',
])

/** Whether packets of a driver leave this process to be read, and so have to wait for somebody else. */
export function isRemote({ parser }: Pick<RunnableDriver, 'parser'>): boolean {
  return parser?.kind === 'url' || parser?.kind === 'elixir'
}
