/** Answers that `public/boot.js` requested before the console's code was there. */
interface Asked {
  token: string | null
  language: string
  /** by path and search of the call */
  answers: Map<string, Promise<Response>>
}

declare global {
  interface Window {
    leitstandAsked?: Asked
  }
}

/** After this long the answers are no longer taken for current. */
const freshMs = 15_000

/**
 * The answer to a call that was requested before, once; undefined: it has to be requested now.
 * @param nowMs since the start of the page
 */
export function takeAsked(
  asked: Asked | undefined,
  { url, method, headers }: Pick<Request, 'url' | 'method' | 'headers'>,
  nowMs: number,
): Promise<Response> | undefined {
  if (!asked || method !== 'GET' || nowMs > freshMs) return undefined
  const { pathname, search } = new URL(url)
  const answer = asked.answers.get(pathname + search)
  if (!answer) return undefined
  asked.answers.delete(pathname + search)
  const bearer = asked.token === null ? null : `Bearer ${asked.token}`
  const isSame = headers.get('authorization') === bearer && headers.get('accept-language') === asked.language
  return isSame ? answer : undefined
}
