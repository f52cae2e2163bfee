/** A reference from a stored definition to an object: shows what would break if that object were deleted. */
export interface Use {
  kind: 'state' | 'twin' | 'dashboard' | 'smartGroup' | 'connector'
  id: number
  /** how it is used: a noun or verb the console has a text for, e.g. `reads`, `sets`, `shows` */
  note: 'reads' | 'sets' | 'shows' | 'below' | 'sends' | 'commands' | 'watches'
}

/** The uses without duplicates. */
export function distinctUses(uses: readonly Use[]): Use[] {
  return [...new Map(uses.map((use) => [`${use.kind} ${use.id} ${use.note}`, use])).values()]
}
