/** What was entered in a form is kept here while its user creates something else that it needs. */
const keyOf = (form: string) => `detour.${form}`

/** Keeps the input of a form, for this user only. The way back has `draft=1` in its address. */
export function keepForDetour(form: string, userId: number, input: object): void {
  sessionStorage.setItem(keyOf(form), JSON.stringify({ userId, input }))
}

/** The input this user left in a form: only where the address says that it continues. */
export function keptFromDetour<Input extends object>(
  form: string,
  userId: number,
  draft: string | undefined,
): Partial<Input> | undefined {
  if (draft !== '1') return undefined
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(form)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return undefined
    const { userId: owner, input } = kept as { userId?: unknown; input?: Partial<Input> }
    return owner === userId && typeof input === 'object' ? input : undefined
  } catch {
    return undefined
  }
}

export function endDetour(form: string): void {
  sessionStorage.removeItem(keyOf(form))
}
