/** Who reports from this device, and places reported from, for the page that opens without a network. */
export interface Reporter {
  userId: number
  /** titles by twin, the latest last */
  places: (readonly [twinId: number, title: string])[]
}

interface Stored extends Reporter {
  /** mark of the session it belongs to */
  session: string
}

const reporterKey = 'leitstand.reporter'
const tokenKey = 'leitstand.token'
const placesMax = 50

/** Of a token, never all of it: enough to see whether the session is still the same. */
const markOf = (token: string) => token.slice(-12)

/** Who is signed in on this device; null: nobody, somebody else since, or the browser stores nothing. */
export function rememberedReporter(): Reporter | null {
  const token = stored(tokenKey)
  const known = read()
  return token === null || known?.session !== markOf(token) ? null : known
}

/** Remembers who is signed in, for as long as the session lasts. Places of another user are forgotten. */
export function rememberReporter(userId: number, token: string): void {
  const known = read()
  write({ userId, places: known?.userId === userId ? known.places : [], session: markOf(token) })
}

/** Remembers what a place is called, for who is signed in. */
export function rememberPlace(twinId: number, title: string): void {
  const known = read()
  if (rememberedReporter() === null || known === null) return
  const others = known.places.filter(([id]) => id !== twinId)
  write({ ...known, places: [...others, [twinId, title] as const].slice(-placesMax) })
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // Storage is closed to us (private mode): there is nothing stored.
    return null
  }
}

function read(): Stored | null {
  const text = stored(reporterKey)
  try {
    const known = JSON.parse(text ?? 'null') as Stored | null
    return known !== null && Array.isArray(known.places) ? known : null
  } catch {
    // Not written by us: as good as nothing, and replaced by the next visit.
    return null
  }
}

function write(known: Stored): void {
  try {
    localStorage.setItem(reporterKey, JSON.stringify(known))
  } catch {
    // A browser that stores nothing cannot keep reports either: the page says so.
  }
}
