/** What of an address decides whether a form on the screen stays. */
interface Place {
  pathname: string
  search: unknown
}

/** Parameters of an address that choose a form; others choose what is listed or shown beside it. */
const formParams = ['create', 'import', 'kind', 'edit', 'copy', 'pasted', 'draft']
/** Parameters that choose one of the forms of a page; a form that spans its tabs is there with all of them. */
const tabParams = ['tab', 'mail', 'words']

/**
 * Whether a navigation removes a form from the screen.
 * @param acrossTabs the form spans the tabs of its page
 */
export function leavesForm(current: Place, next: Place, acrossTabs: boolean): boolean {
  if (current.pathname !== next.pathname) return true
  const names = acrossTabs ? formParams : [...formParams, ...tabParams]
  return names.some((name) => textOf(current, name) !== textOf(next, name))
}

const textOf = ({ search }: Place, name: string) =>
  JSON.stringify((search as Record<string, unknown> | undefined)?.[name] ?? null)
