import { ORPCError } from '@orpc/client'
import type { Api } from '../kit.ts'
import type { Answers, Needs } from './answers.ts'
import type { Who, World } from './world.ts'

/** One operation of the contract: what it needs, and a call that succeeds for whoever may make it. */
interface Description<Given, Reply> {
  /** as the specification has it; a line of the table, or permissions joined by `or` */
  needs: Needs
  /** where somebody's answer does not follow from the table; say why */
  except?: Partial<Answers>
  /** where the table line of another need holds, e.g. for what lies with the one who calls */
  as?: Needs
  /** the permission alone is not enough; say why */
  alone?: false
  /** the caller is made anew for every cell */
  fresh?: true
  /** what the call is about; made anew for every cell unless the operation only reads */
  given?: (world: World, who: Who) => Promise<Given>
  call: (api: Api, given: Given, who: Who, world: World) => Promise<Reply>
  /** of a list: whether the object is in it */
  shows?: (reply: Reply, given: Given) => boolean
  /** a refusal that comes only after all questions of rights are answered, where success would need more */
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

/** Whether a page holds the object. */
export function holds(page: { items: readonly { id: number }[] }, { id }: { id: number }): boolean {
  return page.items.some((item) => item.id === id)
}

/** Enough for everything the matrix makes. */
export const all = { limit: 1000 } as const
