import { setTimeout as wait } from 'node:timers/promises'
import type { FoundPlace } from '@leitstand/contract/geocoder'
import { LRUCache } from 'lru-cache'
import type { GeocoderSettings } from '../../../geocoderSettings.ts'
import { neutralName } from '../../../platform/brands.ts'
import { upTo } from '../../../platform/cache.ts'
import type { Context } from '../../../platform/context.ts'
import { reserveTurn } from '../../../platform/db/pace.ts'
import { AppError, messageOf } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { guardedFetch } from '../../../platform/net/guardedFetch.ts'
import { Outgoing } from '../../../platform/net/outgoing.ts'
import { Turns } from '../../../platform/turns.ts'
import { geocoders } from './kinds.ts'

const bounds = {
  fetch: { timeoutMs: 5_000, bytesMax: 300_000 },
  /** look-ups of a user */
  user: { perSecond: 20 / 60, burst: 10 },
  /** longest wait for a turn of the installation */
  waitMaxMs: 3_000,
  answersMax: 2_000,
  answersKeptMs: 24 * 3_600_000,
}
/** Decimals of a degree that are asked for; five are about a metre. */
const digits = 5

/** The operator chose the address of the geocoder, so it may be in any network. */
const anywhere = new Outgoing(['0.0.0.0/0', '::/0'])

/**
 * Looks up addresses at the geocoder of the installation. The server asks, so that the geocoder does not learn
 * who looks for what.
 */
export function geocoderRoutes(ctx: Context) {
  const { geocoder } = ctx.config
  const fetch = guardedFetch(anywhere, bounds.fetch)
  const users = new Turns<string>(bounds.user)
  const answers = new LRUCache<string, FoundPlace[]>({
    ...upTo(bounds.answersMax),
    ttl: bounds.answersKeptMs,
  })

  const ask = async (settings: GeocoderSettings, path: string): Promise<FoundPlace[]> => {
    const found = await answerOf(settings, path)
    const places = found && geocoders[settings.kind].read(found.json)
    if (places) return places
    ctx.log.warn({ geocoder: settings.url }, 'The response of the geocoder cannot be read')
    throw new AppError('GEOCODER_ANSWER_INVALID')
  }

  const answerOf = async ({ url, headers, contact }: GeocoderSettings, path: string) => {
    const agent = `${neutralName} (${[new URL(ctx.config.publicUrl).origin, contact].filter(Boolean).join('; ')})`
    const sent = { accept: 'application/json', 'user-agent': agent, ...headers }
    let text: string
    try {
      const answer = await fetch(`${url}${path}`, { headers: sent })
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      text = await answer.text()
    } catch (error) {
      ctx.log.warn({ geocoder: url, reason: messageOf(error) }, 'The geocoder cannot be reached')
      throw new AppError('GEOCODER_UNREACHABLE')
    }
    return jsonOf(text)
  }

  const look = async (caller: Caller, pathOf: (kind: (typeof geocoders)['photon']) => string) => {
    if (geocoder === null) throw new AppError('GEOCODER_OFF')
    const path = pathOf(geocoders[geocoder.kind])
    const known = answers.get(path)
    if (known) return { items: known }
    const user = String(caller.userId ?? caller.keyHash ?? caller.ip)
    if (!users.take(user, ctx.clock.now().getTime()))
      throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(1 / bounds.user.perSecond) })
    const intervalMs = 1000 / geocoder.perSecond
    const waitMs = await reserveTurn(ctx.db, 'geocoder', { intervalMs, waitMaxMs: bounds.waitMaxMs })
    if (waitMs === null)
      throw new AppError('OVERLOADED', { retryAfterSeconds: Math.ceil(bounds.waitMaxMs / 1000) })
    if (waitMs > 0) await wait(waitMs)
    const items = await ask(geocoder, path)
    answers.set(path, items)
    return { items }
  }

  return {
    state: os.geocoder.state.handler(() => ({
      enabled: geocoder !== null,
      attribution: geocoder?.attribution ?? '',
    })),
    search: os.geocoder.search.handler(({ input: { text }, context: { caller } }) =>
      look(caller, ({ search }) => search(text, languageOf(caller))),
    ),
    reverse: os.geocoder.reverse.handler(({ input, context: { caller } }) => {
      const [latitude, longitude] = [input.latitude, input.longitude].map((degrees) =>
        Number(degrees.toFixed(digits)),
      ) as [number, number]
      return look(caller, ({ reverse }) => reverse({ latitude, longitude }, languageOf(caller)))
    }),
  }
}

const languageOf = ({ language = 'de' }: Caller) => language

function jsonOf(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
