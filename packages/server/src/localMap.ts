import { readFileSync, statSync } from 'node:fs'
import { LocalMap, localMapMax } from '@leitstand/contract/maps'
import { messageOf } from './platform/errors.ts'

/**
 * Reads the local map of an installation.
 * @param path of a GeoJSON file
 * @returns the map, or what is wrong with the file
 */
export function readLocalMap(path: string): { map: LocalMap } | { problem: string } {
  try {
    const { size } = statSync(path)
    if (size > localMapMax) return { problem: `MAP_LOCAL must have ${localMapMax / 1e6} MB at most` }
    const parsed = LocalMap.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    if (parsed.success) return { map: parsed.data }
    const [issue] = parsed.error.issues
    return { problem: `MAP_LOCAL: ${issue?.path.join('.')}: ${issue?.message}` }
  } catch (error) {
    return { problem: `MAP_LOCAL must be a GeoJSON file: ${messageOf(error)}` }
  }
}
