import { ORPCError } from '@orpc/client'
import type { Api } from '../kit.ts'
import type { Answers, Needs } from './answers.ts'
import type { Who, World } from './world.ts'

/** One operation of the contract: its requirement, and a call that succeeds for permitted callers. */
interface Description<Given, Reply> {
  /** from the specification; a line of the table, or permissions joined by `or` */
  needs: Needs
  /** results that do not follow from the table; give the reason */
  except?: Partial<Answers>
  /** use the table line of another need, e.g. for the caller's own objects */
  as?: Needs
  /** the permission alone is not enough; give the reason */
  alone?: false
  /** the caller is created for every cell */
  fresh?: true
  /** the object of the call; created for every cell unless the operation only reads */
  given?: (world: World, who: Who) => Promise<Given>
  call: (api: Api, given: Given, who: Who, world: World) => Promise<Reply>
  /** for a list: whether it contains the object */
  shows?: (reply: Reply, given: Given) => boolean
  /** an error that occurs only after all permission checks, if success would need more */
  reaches?: string
}

export interface Row {
  needs: Needs
  as: Needs
  except: Partial<Answers>
  fresh: boolean
  alone: boolean
  list: boolean
  /** @returns an `Answer`, or the code of another error */
  run: (world: World, who: Who, reading: boolean) => Promise<string>
}

/** A row of the matrix. */
export function row<Given = undefined, Reply = unknown>(described: Description<Given, Reply>): Row {
  const { needs, as = needs, except = {}, fresh = false, alone = true, shows, reaches } = described
  let shared: Promise<Given> | undefined
  const make = async (world: World, who: Who): Promise<Given> => {
    if (described.given) return described.given(world, who)
    return undefined as Given
  }
  const once = (world: World, who: Who): Promise<Given> => {
    shared ??= make(world, who)
    return shared
  }
  return {
    needs,
    as,
    except,
    fresh,
    alone,
    list: shows !== undefined,
    run: async (world, who, reading) => {
      const given = await (reading && !fresh ? once(world, who) : make(world, who))
      try {
        const reply = await described.call(who.api, given, who, world)
        return shows === undefined || shows(reply, given) ? 'ok' : 'none'
      } catch (error) {
        if (!(error instanceof ORPCError)) throw error
        return error.code === reaches ? 'ok' : nameOf(error)
      }
    },
  }
}

function nameOf({ code, status }: ORPCError<string, unknown>): string {
  if (code === 'AUTH_TOKEN_NOT_FOUND') return '401'
  if (code === 'NO_PERMISSION') return '403'
  if (code === 'AUTH_IMPERSONATING') return 'self'
  return status === 404 ? '404' : code
}

/** Whether a page contains the object. */
export function holds(page: { items: readonly { id: number }[] }, { id }: { id: number }): boolean {
  return page.items.some((item) => item.id === id)
}

/** Enough for everything the matrix makes. */
export const all = { limit: 1000 } as const
