/** A thing that a stored definition refers to: it says what would break when that thing is deleted. */
export interface Use {
  kind: 'state' | 'twin' | 'dashboard'
  id: number
  /** what for: a noun or verb the console has a text for, e.g. `reads`, `sets`, `shows` */
  note: 'reads' | 'sets' | 'shows' | 'below'
}

/** Each use once. */
export function distinctUses(uses: readonly Use[]): Use[] {
  return [...new Map(uses.map((use) => [`${use.kind} ${use.id} ${use.note}`, use])).values()]
}
