/** What was entered in a form is kept here while its user creates something else that it needs. */
const keyOf = (form: string) => `detour.${form}`

/** Keeps the input of a form. The way back has `draft=1` in its address. */
export function keepForDetour(form: string, input: object): void {
  sessionStorage.setItem(keyOf(form), JSON.stringify(input))
}

/** The input kept of a form: only where the address says that it continues. */
export function keptFromDetour<Input extends object>(
  form: string,
  draft: string | undefined,
): Partial<Input> | undefined {
  if (draft !== '1') return undefined
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(form)) ?? 'null')
    return typeof kept === 'object' && kept !== null ? kept : undefined
  } catch {
    return undefined
  }
}

export function endDetour(form: string): void {
  sessionStorage.removeItem(keyOf(form))
}
