/** A row of the access editor; ids are strings, as in the select options. */
export interface AccessLine {
  /** key of the row in the form */
  key: number
  scopeId: string | null
  roleId: string | null
  isMain: boolean
}

/** An empty row; the first one is the main one. */
export function emptyLine(lines: readonly AccessLine[]): AccessLine {
  const key = Math.max(0, ...lines.map((line) => line.key + 1))
  return { key, scopeId: null, roleId: null, isMain: lines.length === 0 }
}
