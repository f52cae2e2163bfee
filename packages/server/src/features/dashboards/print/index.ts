import { Allowance } from '../../../platform/allowance.ts'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { dispositionOf } from '../../../platform/http/disposition.ts'
import { os } from '../../../platform/http/implement.ts'
import type { WidgetReader } from '../data.ts'
import { readBoardData, showBoard } from '../routes.ts'

/** What is printed of a dashboard. */
export interface BoardPrint {
  id: number
  startMs: number
  endMs: number
  /** IANA */
  timeZone: string
  language: 'de' | 'en'
  signal: AbortSignal
  /** called once it is clear that there is something to print */
  begin?: () => void
}

/**
 * A dashboard as PDF, with the values of a period as far as the caller may see them.
 * @throws AppError DASHBOARD_NOT_FOUND, INVALID_DATE_RANGE, PRINT_NO_BROWSER, PRINT_FAILED, OVERLOADED
 */
export async function printBoard(
  { db, printer, config }: Pick<Context, 'db' | 'printer' | 'config'>,
  reader: WidgetReader,
  caller: Caller,
  { id, startMs, endMs, timeZone, language, signal, begin }: BoardPrint,
): Promise<{ name: string; pdf: Buffer }> {
  const board = await showBoard(db, caller, id)
  const [from, to] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()]
  const widgets = await readBoardData({ db, reader }, caller, id, {
    dateRangeStart: from,
    dateRangeEnd: to,
    timeZone,
  })
  begin?.()
  const pdf = await printer.print({
    address: `/print/dashboards/${id}?${new URLSearchParams({ from, to })}`,
    replies: new Map<string, unknown>([
      [`/api/dashboards/${id}`, { ...board, editable: false }],
      [`/api/dashboards/${id}/widgets/__all__/data`, { widgets }],
      ['/api/map/styles', { items: config.mapStyles }],
      ['/api/map/local', { map: config.localMap, tiles: config.mapTiles?.tiles ?? null }],
    ]),
    language,
    timeZone,
    title: board.name,
    signal,
  })
  return { name: board.name, pdf }
}

/** PDFs a user may ask for: one page is printed at a time, for everybody. */
const rate = { perSecond: 1 / 10, burst: 5 } as const

export function printRoutes(ctx: Context, reader: WidgetReader) {
  const allowance = new Allowance<string>(rate)

  /** @throws AppError TOO_MANY_REQUESTS */
  function spend({ userId, name }: Caller): void {
    const who = String(userId ?? name)
    const now = ctx.clock.now().getTime()
    const waitMs = allowance.waitMs(who, now)
    if (waitMs > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
    allowance.spend(who, 1, now)
  }

  return {
    pdf: os.dashboards.pdf.handler(async ({ input, context: { caller }, signal }) => {
      const { id, timeZone, language } = input
      const { name, pdf } = await printBoard(ctx, reader, caller, {
        id,
        startMs: Date.parse(input.dateRangeStart),
        endMs: Date.parse(input.dateRangeEnd),
        timeZone,
        language,
        signal: signal ?? AbortSignal.timeout(60_000),
        begin: () => spend(caller),
      })
      const file = `${name} ${input.dateRangeEnd.slice(0, 10)}.pdf`
      return {
        headers: { 'content-disposition': dispositionOf(file) },
        body: new File([new Uint8Array(pdf)], file, { type: 'application/pdf' }),
      }
    }),
  }
}
