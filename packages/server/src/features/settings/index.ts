import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { sliceCount } from '../../platform/events/index.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import type { LoopDelays } from '../../platform/loopDelay.ts'
import type { Nodes } from '../../platform/nodes/index.ts'
import { geocoderRoutes } from './geocoder/index.ts'
import { parkedEventRoutes } from './parkedEvents.ts'
import { countNotSent, findAttachment, listMails, topAccounts } from './store.ts'
import { systemLogRoutes } from './systemLog.ts'
import { mountTiles } from './tiles.ts'

/** How far back mails that were not sent are counted. */
const notSentForMs = 7 * 24 * 3_600_000

/**
 * Settings and state of the installation: sent and kept mails, parked events, map styles, geocoder, event loop load.
 */
export function register(ctx: Context) {
  const { mapTiles } = ctx.config
  const tiles = mapTiles && mountTiles(ctx, mapTiles)
  const routes = {
    mail: {
      list: os.mail.list.handler(async ({ input, context: { caller } }) => {
        const withSystem = caller.can('super.system', 'manage')
        const page = await listMails(ctx.db, caller.scopeIds('all', 'manage'), withSystem, input)
        const items = page.items.map(({ secret, ...mail }) => ({
          ...mail,
          // Without a mail server the operator must pass on the link, and has all rights anyway.
          body:
            withSystem && mail.status === 'kept' && caller.kind === 'user' && !caller.impersonator
              ? ctx.mail.fullText({ body: mail.body, secret })
              : mail.body.replaceAll('{secret}', secret === null ? '{secret}' : '•••'),
        }))
        return { items, total: page.total, offset: input.offset, limit: input.limit }
      }),
      state: os.mail.state.handler(async ({ context: { caller } }) => {
        const scopeIds = caller.scopeIds('all', 'manage')
        const withSystem = caller.can('super.system', 'manage')
        const since = new Date(ctx.clock.now().getTime() - notSentForMs)
        const accounts = await topAccounts(ctx.db, scopeIds)
        const has = await Promise.all(accounts.map((id) => ctx.mail.hasServer(ctx.db, id)))
        return {
          hasServer: has.every(Boolean),
          since: since.toISOString(),
          ...(await countNotSent(ctx.db, scopeIds, withSystem, since)),
        }
      }),
      attachment: os.mail.attachment.handler(async ({ input: { id }, context: { caller } }) => {
        const withSystem = caller.can('super.system', 'manage')
        const found = await findAttachment(ctx.db, caller.scopeIds('all', 'manage'), withSystem, id)
        if (!found) throw new AppError('FILE_NOT_FOUND', { id })
        const { name, type, bytes } = found
        return {
          headers: { 'content-disposition': dispositionOf(name) },
          body: new File([new Uint8Array(bytes)], name, { type }),
        }
      }),
    },
    map: {
      local: os.map.local.handler(() => ({
        map: ctx.config.localMap,
        tiles: ctx.config.mapTiles?.tiles ?? null,
      })),
      styles: os.map.styles.handler(() => ({ items: [...ctx.config.mapStyles] })),
    },
    geocoder: geocoderRoutes(ctx),
    nodes: { list: os.nodes.list.handler(() => nodesOf(ctx.nodes)) },
    system: {
      load: os.system.load.handler(() => ({ eventLoop: eventLoopOf(ctx.loopDelay.delays) })),
      ...parkedEventRoutes(ctx),
      ...systemLogRoutes(ctx),
    },
  }
  return { routes, [Symbol.asyncDispose]: async () => tiles?.[Symbol.asyncDispose]() }
}

/** The nodes, with what they do for all of them. */
function nodesOf(nodes: Nodes) {
  const shown = nodes.members().map(({ leases, roles, ...member }) => ({
    ...member,
    roles: [...roles],
    partitions: leases
      .flatMap((lease) => (lease.startsWith('packets.') ? Number(lease.slice('packets.'.length)) : []))
      .toSorted((a, b) => a - b),
    connectors: leases.filter((lease) => lease.startsWith('connector.')).length,
    accountShare: nodes.isCluster
      ? leases.filter((lease) => lease.startsWith('events.')).length / sliceCount
      : 1,
  }))
  return { isCluster: nodes.isCluster, problem: nodes.problem()?.code ?? null, nodes: shown }
}

/** Delays in milliseconds; the operations that blocked the loop longest come first. */
function eventLoopOf({ p50, p99, max, isSlow, longest }: LoopDelays) {
  const found = Object.entries(longest).map(([operation, ms]) => ({ operation, ms: Math.round(ms) }))
  return {
    p50: p50 * 1000,
    p99: p99 * 1000,
    max: max * 1000,
    isSlow,
    longest: found.sort((a, b) => b.ms - a.ms),
  }
}
