import type { SharedState, SharedTwin } from '@leitstand/contract/sharing'
import type { State } from '@leitstand/contract/states'
import type { TwinSummary } from '@leitstand/contract/twins'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os, type RequestContext } from '../../platform/http/implement.ts'
import type { DashboardsFeature } from '../dashboards/index.ts'
import { titledFor } from '../drivers/index.ts'
import type { FloorsFeature } from '../floors/index.ts'
import { passwordFits } from '../people/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { listChildIds, listStates, loadTwinSummaries, type TwinsFeature, twinMap } from '../twins/index.ts'
import { accessFor, accessLastsMs } from './password.ts'
import type { OpenShare, Shares } from './shares.ts'
import { filterBelow, readOwners } from './store.ts'

interface PageTools {
  ctx: Context
  shares: Shares
  series: Pick<SeriesFeature, 'chart'>
  twins: Pick<TwinsFeature, 'keepers'>
  floors: Pick<FloorsFeature, 'list' | 'plan'>
  dashboards: Pick<DashboardsFeature, 'show' | 'data'>
}

/** A link that is open for a visitor. */
interface Visit extends OpenShare {
  caller: Caller
}

/** What visitors read. Every call finds its link first, and then checks that the object is below what it shows. */
export function pageRoutes({ ctx, shares, series, twins, floors, dashboards }: PageTools) {
  const { db, clock, secrets, config } = ctx
  const accessOf = ({ headers }: RequestContext) => {
    const shown = headers['x-share-access']
    return typeof shown === 'string' ? shown : undefined
  }

  async function visit(key: string, context: RequestContext, kind: 'twin' | 'dashboard'): Promise<Visit> {
    const share = await shares.open(key, accessOf(context), context.ip)
    if (share.row.kind !== kind)
      throw new AppError(kind === 'twin' ? 'DTWIN_NOT_FOUND' : 'DASHBOARD_NOT_FOUND')
    return { ...share, caller: withLanguage(shares.callerOf(share, context.ip), context) }
  }

  /** A visit of a twin. @throws AppError DTWIN_NOT_FOUND if it is not the shared one or below it */
  async function visitTwin(key: string, context: RequestContext, id: number): Promise<Visit> {
    const share = await visit(key, context, 'twin')
    if (!(await filterBelow(db, [id], share.row.objectId)).has(id))
      throw new AppError('DTWIN_NOT_FOUND', { id })
    return share
  }

  const scopesOf = ({ scopeIds }: OpenShare) => ({ twins: scopeIds, states: scopeIds })

  return {
    open: os.shared.open.handler(async ({ input: { key }, context }) => {
      const share = await shares.find(key, context.ip)
      const { kind, objectId, title, timeZone } = share.row
      const locked = !shares.isUnlocked(share, accessOf(context))
      return { kind, locked, objectId: locked ? null : objectId, title: locked ? null : title, timeZone }
    }),
    unlock: os.shared.unlock.handler(async ({ input: { key, password }, context }) => {
      const share = await shares.find(key, context.ip)
      shares.countPassword(share)
      if (!(await passwordFits(share.row.passwordHash, password))) throw new AppError('SHARE_PASSWORD_WRONG')
      const untilMs = clock.now().getTime() + accessLastsMs
      return { access: accessFor(secrets, share.row, untilMs), until: new Date(untilMs).toISOString() }
    }),
    twin: os.shared.twin.handler(async ({ input: { key, id }, context }) => {
      const share = await visitTwin(key, context, id)
      const [twin] = await loadTwinSummaries(db, scopesOf(share), [id])
      if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id })
      return toTwin(twin, share)
    }),
    children: os.shared.children.handler(async ({ input: { key, id, offset, limit }, context }) => {
      const share = await visitTwin(key, context, id)
      const { ids, total } = await listChildIds(db, share.scopeIds, id, { offset, limit })
      const items = await loadTwinSummaries(db, scopesOf(share), ids)
      return { items: items.map((twin) => toTwin(twin, share)), total, offset, limit }
    }),
    states: os.shared.states.handler(async ({ input: { key, id }, context }) => {
      const { scopeIds, caller } = await visitTwin(key, context, id)
      const states = await listStates(db, { digitalTwin: [...scopeIds], virtualDevice: [] }, id)
      return { items: states.map((state) => toState(titledFor(caller, state))) }
    }),
    series: os.shared.series.handler(async ({ input, context }) => {
      const share = await visit(input.key, context, 'twin')
      await requireStates(share, input.stateIds)
      const [start, end] = [new Date(input.startDate), new Date(input.endDate)]
      if (start >= end) throw new AppError('INVALID_DATE_RANGE')
      const { method, duration } = input
      return series.chart([...new Set(input.stateIds)], { start, end }, { method, duration })
    }),
    mapSettings: os.shared.mapSettings.handler(async ({ input: { key, twinId }, context }) => {
      const { row } = await visitTwin(key, context, twinId)
      // What was set above the shared twin names states that visitors do not see.
      return { settings: (await twinMap.settings(db, twinId, row.objectId)).settings }
    }),
    geoMetaInfos: os.shared.geoMetaInfos.handler(async ({ input, context }) => {
      const { key, ...asked } = input
      const share = await visitTwin(key, context, asked.twinId)
      return twinMap.extent(db, { ...asked, scopes: scopesOf(share) })
    }),
    geoClusters: os.shared.geoClusters.handler(async ({ input, context }) => {
      const { key, ...asked } = input
      const share = await visitTwin(key, context, asked.twinId)
      return twinMap.clusters(db, { ...asked, scopes: scopesOf(share) }, twins.keepers)
    }),
    geoClusterBreakOpen: os.shared.geoClusterBreakOpen.handler(async ({ input, context }) => {
      const { key, ...asked } = input
      const share = await visitTwin(key, context, asked.twinId)
      return twinMap.square(db, { ...asked, scopes: scopesOf(share) })
    }),
    floors: os.shared.floors.handler(async ({ input: { key, twinId }, context }) => {
      const share = await visitTwin(key, context, twinId)
      const { items, more } = await floors.list(share.scopeIds, twinId)
      // Those of the building of a shared floor may lie beside it.
      const below = await filterBelow(
        db,
        items.map((floor) => floor.twinId),
        share.row.objectId,
      )
      return { items: items.filter((floor) => below.has(floor.twinId)), more }
    }),
    floorPlan: os.shared.floorPlan.handler(async ({ input: { key, twinId }, context }) => {
      const { scopeIds } = await visitTwin(key, context, twinId)
      const [twin] = await loadTwinSummaries(db, { twins: scopeIds, states: [] }, [twinId])
      if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
      const { file, hash } = await floors.plan(twinId)
      const cached = { etag: `"${hash}"`, 'cache-control': 'private, no-cache' }
      if (String(context.headers['if-none-match'] ?? '').includes(cached.etag))
        return { status: 304 as const, headers: cached }
      return { headers: { ...cached, 'content-disposition': dispositionOf(file.name) }, body: file }
    }),
    localMap: os.shared.localMap.handler(async ({ input: { key }, context }) => {
      await shares.open(key, accessOf(context), context.ip)
      return { map: config.localMap, tiles: config.mapTiles?.tiles ?? null }
    }),
    dashboard: os.shared.dashboard.handler(async ({ input: { key }, context }) => {
      const { caller, row } = await visit(key, context, 'dashboard')
      const { id, name, description, settings, widgets } = await dashboards.show(db, caller, row.objectId)
      return { id, name, description, settings, widgets }
    }),
    dashboardData: os.shared.dashboardData.handler(async ({ input, context }) => {
      const { key, ...asked } = input
      const { caller, row } = await visit(key, context, 'dashboard')
      return { widgets: await dashboards.data(caller, row.objectId, asked) }
    }),
  }

  async function requireStates(share: Visit, stateIds: readonly number[]): Promise<void> {
    const owners = await readOwners(db, share.scopeIds, stateIds)
    const below = await filterBelow(db, [...new Set(owners.values())], share.row.objectId)
    for (const stateId of stateIds)
      if (!below.has(owners.get(stateId) ?? 0)) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId })
  }
}

function withLanguage(caller: Caller, { headers }: RequestContext): Caller {
  const language = headers['accept-language']
  return language === 'de' || language === 'en' ? { ...caller, language } : caller
}

function toTwin(twin: TwinSummary, { row }: OpenShare): SharedTwin {
  const { id, title, type, icon, latitude, longitude, childCount, stateCount, level } = twin
  const parentId = id === row.objectId ? null : twin.parentId
  return { id, title, type, icon, latitude, longitude, parentId, childCount, stateCount, level }
}

function toState(state: State): SharedState {
  const { id, twinId, key, title, unit, icon, valueType, decimals } = state
  const { lowerBound, upperBound, visualization, value, time } = state
  return {
    id,
    twinId,
    key,
    title,
    unit,
    icon,
    valueType,
    decimals,
    lowerBound,
    upperBound,
    visualization,
    value,
    time,
  }
}
