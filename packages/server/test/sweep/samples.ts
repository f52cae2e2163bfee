import { createApi } from '../kit.ts'
import { applications } from '../matrix/applications.ts'
import { assets } from '../matrix/assets.ts'
import { branding } from '../matrix/branding.ts'
import { keys } from '../matrix/keys.ts'
import { people } from '../matrix/people.ts'
import { sharing } from '../matrix/sharing.ts'
import { signOn } from '../matrix/signOn.ts'
import { things } from '../matrix/things.ts'
import { tickets } from '../matrix/tickets.ts'
import { warnapp } from '../matrix/warnapp.ts'
import type { World } from '../matrix/world.ts'

const rows = {
  ...people,
  ...branding,
  ...signOn,
  ...applications,
  ...things,
  ...sharing,
  ...tickets,
  ...assets,
  ...warnapp,
  ...keys,
}

/** An input that succeeds for the system administrator, who has an exclusive session. */
export interface Sample {
  input: unknown
  token: string
}

/** Thrown instead of making the call, so that its objects stay unchanged. */
class Recorded extends Error {}

/** Creates an operation's objects, and the input with which the permission matrix would call it. */
export async function sampleOf(world: World, operation: string): Promise<Sample> {
  const row = Object.entries(rows).find(([name]) => name === operation)?.[1]
  if (row === undefined) throw new Error(`the matrix has no row of ${operation}`)
  const user = await world.user(
    { id: world.app.rootAccountId, scopeId: world.app.rootScopeId },
    world.roleIds.system,
  )
  const { token, id: sessionId } = await world.session(user.id)
  let input: unknown
  const api = recording(createApi(world.app.url, token), (path, given) => {
    if (path !== operation) return
    input = given
    throw new Recorded()
  })
  const who = { api, userId: user.id, username: user.username, sessionId, originalToken: null }
  try {
    await row.run(world, who, false)
  } catch (error) {
    if (!(error instanceof Recorded)) throw error
  }
  return { input, token }
}

function recording<T extends object>(
  target: T,
  note: (path: string, input: unknown) => void,
  path: string[] = [],
): T {
  return new Proxy(target, {
    get: (_, name) => recording(Reflect.get(target, name) as object, note, [...path, String(name)]),
    apply: (_, __, args: unknown[]) => {
      note(path.join('.'), args[0])
      return Reflect.apply(target as (...all: unknown[]) => unknown, undefined, args)
    },
  })
}
