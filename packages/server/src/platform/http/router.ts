import { isProcedure } from '@orpc/server'

/** The intersection of all parts: a shared key has the members of all. */
type Joined<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never

/**
 * Joins the operations of all features into one router. A missing one is a type error where the router is
 * mounted.
 * @param shared the keys that several features may have operations of
 * @throws Error when two features have a handler for the same operation, or another key in common
 */
export function joinRoutes<Part extends object>(
  parts: readonly Part[],
  shared: readonly string[] = [],
): Joined<Part> {
  const joined: Record<string, unknown> = {}
  for (const part of parts) {
    const taken = Object.keys(part).find((key) => key in joined && !shared.includes(key))
    if (taken !== undefined) throw new Error(`two features have operations of ${taken}`)
    addTo(joined, part, '')
  }
  return joined as Joined<Part>
}

function addTo(router: Record<string, unknown>, part: object, path: string): void {
  for (const [key, value] of Object.entries(part)) {
    const here = `${path}${key}`
    const known = router[key]
    if (isProcedure(value)) {
      if (known !== undefined) throw new Error(`two handlers for ${here}`)
      router[key] = value
    } else {
      if (isProcedure(known)) throw new Error(`two handlers for ${here}`)
      const inner = (known ?? {}) as Record<string, unknown>
      router[key] = inner
      addTo(inner, value, `${here}.`)
    }
  }
}
