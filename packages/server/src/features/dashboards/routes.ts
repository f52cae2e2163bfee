import { isDeepStrictEqual } from 'node:util'
import {
  type Dashboard,
  type DashboardContent,
  type Widget,
  type WidgetData,
  type WidgetDefinition,
  widgetsMax,
} from '@leitstand/contract/dashboards'
import { parseSearch } from '@leitstand/contract/search'
import { DateTime } from 'luxon'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { visibleScopes } from '../series/index.ts'
import type { WidgetReader } from './data.ts'
import {
  type BoardRow,
  deleteBoard,
  deleteWidgets,
  findBoard,
  insertBoard,
  insertWidgets,
  listBoards,
  placeWidgets,
  readWidgets,
  toSummary,
  touchBoard,
  updateBoard,
  updateWidgets,
} from './store/boards.ts'
import { readStates, readTwins } from './store/data.ts'
import { referencesOf, widgetFor } from './widgets/index.ts'
import type { DataRequest } from './widgets/types.ts'

/** Scopes whose dashboards the caller may see; users who manage dashboards also see them. */
export function boardScopes(caller: Caller): number[] {
  return [...new Set([...caller.scopeIds('Dashboards', 'read'), ...caller.scopeIds('Dashboards', 'manage')])]
}

/** A dashboard with its widgets. @throws AppError DASHBOARD_NOT_FOUND */
export async function showBoard(db: Executor, caller: Caller, id: number): Promise<Dashboard> {
  const board = await visibleBoard(db, caller, id)
  return {
    ...toSummary(board),
    settings: board.settings,
    widgets: await readWidgets(db, id),
    editable: mayManage(caller, board.scopeId),
    version: board.version,
  }
}

interface WantedRange {
  dateRangeStart: string
  dateRangeEnd: string
  timeZone?: string | undefined
}

/**
 * Data of all widgets of a dashboard.
 * @throws AppError DASHBOARD_NOT_FOUND, INVALID_DATE_RANGE, PARAMETER_VALIDATION_ERROR
 */
export async function readBoardData(
  { db, reader }: { db: Executor; reader: WidgetReader },
  caller: Caller,
  id: number,
  { dateRangeStart, dateRangeEnd, timeZone }: WantedRange,
): Promise<WidgetData[]> {
  const board = await visibleBoard(db, caller, id)
  const request = toRequest(caller, board, dateRangeStart, dateRangeEnd, timeZone)
  return reader.readAll(await readWidgets(db, id), request)
}

/** Operations on dashboards. */
export function boardRoutes(ctx: Context, reader: WidgetReader) {
  const present = (caller: Caller, id: number) => showBoard(ctx.db, caller, id)

  /** Changes a dashboard in one transaction with its activity entry, and returns the new version. */
  async function change(
    caller: Caller,
    id: number,
    what: string,
    work: (tx: Executor, board: BoardRow, at: Date) => Promise<void>,
  ): Promise<Dashboard> {
    await ctx.db.transaction().execute(async (tx) => {
      const board = await manageableBoard(tx, caller, id)
      await work(tx, board, ctx.clock.now())
      await record(tx, caller, 'update', board, { changed: what })
    })
    return present(caller, id)
  }

  return {
    list: os.dashboards.list.handler(async ({ input, context: { caller } }) => {
      const page = await listBoards(ctx.db, boardScopes(caller), {
        ...input,
        search: parseSearch(input.search),
        favoritesOf: input.favorites ? (caller.userId ?? 0) : null,
      })
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    get: os.dashboards.get.handler(({ input, context: { caller } }) => present(caller, input.id)),
    create: os.dashboards.create.handler(async ({ input, context: { caller } }) => {
      const { accountId, parentDtwinId: parentTwinId, widgets, ...fields } = input
      const id = await ctx.db.transaction().execute(async (tx) => {
        const place = await placeFor(tx, caller, accountId, parentTwinId)
        await checkWidgets(
          tx,
          caller,
          widgets.map((definition, index) => ({ definition, before: null, path: ['widgets', index] })),
        )
        const created = await insertBoard(tx, place, { ...fields, parentTwinId }, ctx.clock.now())
        await insertWidgets(tx, created, widgets)
        await record(tx, caller, 'create', { id: created, name: fields.name, accountId })
        return created
      })
      return present(caller, id)
    }),
    delete: os.dashboards.delete.handler(async ({ input, context: { caller } }) => {
      await ctx.db.transaction().execute(async (tx) => {
        const board = await manageableBoard(tx, caller, input.id)
        await deleteBoard(tx, input.id)
        await record(tx, caller, 'delete', board)
      })
      return { ok: true as const }
    }),
    save: os.dashboards.save.handler(({ input, context: { caller } }) => {
      const { id, version, widgets, parentDtwinId: parentTwinId, ...fields } = input
      return change(caller, id, 'dashboard', async (tx, board, at) => {
        requireVersion(board, version)
        if (parentTwinId !== board.parentTwinId) await placeFor(tx, caller, board.accountId, parentTwinId)
        await saveWidgets(tx, caller, id, widgets)
        await updateBoard(tx, id, { ...fields, parentTwinId }, at)
      })
    }),
    config: os.dashboards.config.handler(({ input, context: { caller } }) => {
      const { id, version, parentDtwinId: parentTwinId, ...fields } = input
      return change(caller, id, 'settings', async (tx, board, at) => {
        requireVersion(board, version)
        if (parentTwinId !== board.parentTwinId) await placeFor(tx, caller, board.accountId, parentTwinId)
        await updateBoard(tx, id, { ...fields, parentTwinId }, at)
      })
    }),
    addWidget: os.dashboards.addWidget.handler(({ input, context: { caller } }) =>
      change(caller, input.id, 'widget added', async (tx, board, at) => {
        if (board.widgetCount >= widgetsMax) {
          throw new AppError(
            'VALIDATION_ERROR',
            { widgetsMax },
            `a dashboard has at most ${widgetsMax} widgets`,
          )
        }
        await checkWidgets(tx, caller, [{ definition: input.definition, before: null }])
        const [added] = await insertWidgets(tx, input.id, [input.definition])
        if (added !== undefined && input.position !== undefined) {
          const others = (await readWidgets(tx, input.id)).map(({ id }) => id).filter((id) => id !== added)
          await placeWidgets(tx, input.id, others.toSpliced(input.position, 0, added))
        }
        await touchBoard(tx, input.id, at)
      }),
    ),
    configWidget: os.dashboards.configWidget.handler(({ input, context: { caller } }) =>
      change(caller, input.id, 'widget', async (tx, _board, at) => {
        const before = await findWidget(tx, input.id, input.widgetId)
        await checkWidgets(tx, caller, [{ definition: input.definition, before: before.definition }])
        await updateWidgets(tx, [{ id: input.widgetId, definition: input.definition }])
        await touchBoard(tx, input.id, at)
      }),
    ),
    orderWidgets: os.dashboards.orderWidgets.handler(({ input, context: { caller } }) =>
      change(caller, input.id, 'order of widgets', async (tx, _board, at) => {
        const known = (await readWidgets(tx, input.id)).map(({ id }) => id)
        const unknown = input.order.find((id) => !known.includes(id))
        if (unknown !== undefined) throw new AppError('WIDGET_NOT_FOUND', { id: unknown })
        // Widgets added by other users in the meantime come last.
        await placeWidgets(tx, input.id, [...new Set([...input.order, ...known])])
        await touchBoard(tx, input.id, at)
      }),
    ),
    deleteWidget: os.dashboards.deleteWidget.handler(({ input, context: { caller } }) =>
      change(caller, input.id, 'widget removed', async (tx, _board, at) => {
        await findWidget(tx, input.id, input.widgetId)
        await deleteWidgets(tx, [input.widgetId])
        await touchBoard(tx, input.id, at)
      }),
    ),
    widgetData: os.dashboards.widgetData.handler(async ({ input, context: { caller } }) => {
      const board = await visibleBoard(ctx.db, caller, input.id)
      const request = toRequest(caller, board, input.dateRangeStart, input.dateRangeEnd, input.timeZone)
      const widgets = await readWidgets(ctx.db, input.id)
      const wanted =
        input.widgetId === '__all__' ? widgets : widgets.filter(({ id }) => id === input.widgetId)
      if (input.widgetId !== '__all__' && wanted.length === 0) {
        throw new AppError('WIDGET_NOT_FOUND', { id: input.widgetId })
      }
      return { widgets: await reader.readAll(wanted, request) }
    }),
    dataByDefinition: os.dashboards.dataByDefinition.handler(async ({ input, context: { caller } }) => {
      const board = await visibleBoard(ctx.db, caller, input.id)
      const { start, end } = input.dateRange
      const request = toRequest(caller, board, start, end, input.timeZone)
      const [data] = await reader.readAll([{ id: null, definition: input.widgetDefinition }], request)
      if (data === undefined) throw new Error('no data for one widget')
      return data
    }),
  }
}

function mayManage(caller: Caller, scopeId: number): boolean {
  return caller.scopeIds('Dashboards', 'manage').includes(scopeId)
}

function refuseReader(caller: Caller, scopeId: number): void {
  if (mayManage(caller, scopeId)) return
  throw new AppError('NO_PERMISSION', { needed: { subject: 'Dashboards', action: 'manage' } })
}

/** A dashboard the caller may see. @throws AppError DASHBOARD_NOT_FOUND */
export async function visibleBoard(db: Executor, caller: Caller, id: number): Promise<BoardRow> {
  const board = await findBoard(db, id, boardScopes(caller))
  if (board === undefined) throw new AppError('DASHBOARD_NOT_FOUND', { id })
  return board
}

/** The dashboard, locked. @throws AppError DASHBOARD_NOT_FOUND, NO_PERMISSION */
async function manageableBoard(tx: Executor, caller: Caller, id: number): Promise<BoardRow> {
  const board = await findBoard(tx, id, boardScopes(caller), { lock: true })
  if (board === undefined) throw new AppError('DASHBOARD_NOT_FOUND', { id })
  refuseReader(caller, board.scopeId)
  return board
}

async function findWidget(tx: Executor, boardId: number, widgetId: number) {
  const widget = (await readWidgets(tx, boardId)).find(({ id }) => id === widgetId)
  if (widget === undefined) throw new AppError('WIDGET_NOT_FOUND', { id: widgetId })
  return widget
}

/**
 * The target of a dashboard: a twin of its account, so that users who see the twin see it, or the account
 * itself. The caller must manage dashboards there.
 * @throws AppError TENANT_NOT_FOUND, DTWIN_NOT_FOUND, VALIDATION_ERROR, NO_PERMISSION
 */
async function placeFor(
  tx: Executor,
  caller: Caller,
  accountId: number,
  parentTwinId: number | null,
): Promise<{ id: number; scopeId: number }> {
  if (parentTwinId === null) {
    const account = await requireAccount(tx, accountId, boardScopes(caller))
    refuseReader(caller, account.scopeId)
    return account
  }
  const [twin] = await readTwins(tx, [parentTwinId], visibleScopes(caller))
  if (!twin?.visible) throw new AppError('DTWIN_NOT_FOUND', { id: parentTwinId })
  if (twin.accountId !== accountId) {
    const issues = [{ path: ['parentDtwinId'], message: 'the twin belongs to another account' }]
    throw new AppError('VALIDATION_ERROR', { issues }, 'parentDtwinId: the twin belongs to another account')
  }
  refuseReader(caller, twin.scopeId)
  return { id: accountId, scopeId: twin.scopeId }
}

function requireVersion(board: BoardRow, version: number): void {
  if (board.version !== version) throw new AppError('VERSION_CONFLICT', { version: board.version })
}

/**
 * Makes these the widgets of a dashboard: adds, configures, orders and removes.
 * @throws AppError WIDGET_NOT_FOUND, VALIDATION_ERROR, DTWIN_STATE_NOT_FOUND, DTWIN_NOT_FOUND
 */
async function saveWidgets(
  tx: Executor,
  caller: Caller,
  boardId: number,
  wanted: DashboardContent['widgets'],
): Promise<void> {
  const known = new Map((await readWidgets(tx, boardId)).map((widget) => [widget.id, widget.definition]))
  const kept = new Set<number>()
  const checks: WidgetCheck[] = []
  const changed: Pick<Widget, 'id' | 'definition'>[] = []
  for (const [index, { id, definition }] of wanted.entries()) {
    const before = id === null ? null : known.get(id)
    if (before === undefined) throw new AppError('WIDGET_NOT_FOUND', { id })
    if (id !== null) {
      if (kept.has(id)) refuse([{ path: ['widgets', index, 'id'], message: 'the widget is listed twice' }])
      kept.add(id)
    }
    if (id === null || !isDeepStrictEqual(before, definition)) {
      checks.push({ definition, before, path: ['widgets', index, 'definition'] })
      if (id !== null) changed.push({ id, definition })
    }
  }
  await checkWidgets(tx, caller, checks)
  await deleteWidgets(
    tx,
    [...known.keys()].filter((id) => !kept.has(id)),
  )
  await updateWidgets(tx, changed)
  const added = await insertWidgets(
    tx,
    boardId,
    wanted.flatMap(({ id, definition }) => (id === null ? [definition] : [])),
  )
  await placeWidgets(
    tx,
    boardId,
    wanted.map(({ id }) => id ?? (added.shift() as number)),
  )
}

interface WidgetCheck {
  definition: WidgetDefinition
  /** what is stored; null: it is new */
  before: WidgetDefinition | null
  /** where it is in the input */
  path?: (string | number)[]
}

function refuse(issues: { path: (string | number)[]; message: string }[]): void {
  if (issues[0]) throw new AppError('VALIDATION_ERROR', { issues }, issues[0].message)
}

/**
 * Checks widgets before they are stored. References a widget had before may stay, even if this caller may not
 * see them.
 * @throws AppError VALIDATION_ERROR, DTWIN_STATE_NOT_FOUND, DTWIN_NOT_FOUND
 */
async function checkWidgets(tx: Executor, caller: Caller, checks: readonly WidgetCheck[]): Promise<void> {
  const stateIds = new Set<number>()
  const twinIds = new Set<number>()
  for (const { definition, before, path = [] } of checks) {
    const issues = widgetFor(definition).check(definition)
    refuse(issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })))
    const old = before ? referencesOf(before) : { stateIds: [], twinIds: [] }
    const named = referencesOf(definition)
    for (const id of named.stateIds) if (!old.stateIds.includes(id)) stateIds.add(id)
    for (const id of named.twinIds) if (!old.twinIds.includes(id)) twinIds.add(id)
  }
  const scopes = visibleScopes(caller)
  const visible = (rows: { id: number; visible: boolean }[]) =>
    new Set(rows.flatMap((row) => (row.visible ? [row.id] : [])))
  const states = visible(await readStates(tx, [...stateIds], scopes))
  const hiddenState = [...stateIds].find((id) => !states.has(id))
  if (hiddenState !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hiddenState })
  const twins = visible(await readTwins(tx, [...twinIds], scopes))
  const hiddenTwin = [...twinIds].find((id) => !twins.has(id))
  if (hiddenTwin !== undefined) throw new AppError('DTWIN_NOT_FOUND', { id: hiddenTwin })
}

function toRequest(
  caller: Caller,
  board: BoardRow,
  startDate: string,
  endDate: string,
  timeZone: string | undefined,
): DataRequest {
  const range = { start: new Date(startDate), end: new Date(endDate) }
  if (range.start >= range.end) throw new AppError('INVALID_DATE_RANGE', { startDate, endDate })
  if (timeZone !== undefined && !DateTime.fromJSDate(range.start, { zone: timeZone }).isValid) {
    const issues = [{ path: ['timeZone'], message: 'not a time zone' }]
    throw new AppError('PARAMETER_VALIDATION_ERROR', { issues }, 'timeZone: not a time zone')
  }
  return { caller, board, range, timeZone }
}

function record(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete',
  board: { id: number; name: string; accountId: number },
  changes?: unknown,
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'Dashboard',
    objectId: board.id,
    objectTitle: board.name,
    accountId: board.accountId,
    ...(changes === undefined ? {} : { changes }),
  })
}
