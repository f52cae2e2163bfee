/** Converts scripts from callers into definitions, whose keys are equal exactly when the scripts are. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Definition } from './protocol.ts'
import type { ScriptSource } from './types.ts'

const NAMES_MAX = 10_000

/** Caches definitions by id, so that a script of many kilobytes is not hashed for every batch. */
export class Definitions {
  private readonly byName = new LRUCache<string, { script: ScriptSource; definition: Definition }>({
    max: NAMES_MAX,
  })

  of(script: ScriptSource): Definition {
    const name = `${script.kind} ${script.group ?? ''} ${script.id}`
    const known = this.byName.get(name)
    if (known !== undefined && sameScript(known.script, script)) return known.definition
    const definition = define(script)
    this.byName.set(name, { script, definition })
    return definition
  }
}

function sameScript(a: ScriptSource, b: ScriptSource): boolean {
  return (
    a === b ||
    (a.source === b.source &&
      a.options?.recvTime === b.options?.recvTime &&
      (a.parameters === b.parameters || a.parameters?.join() === b.parameters?.join()))
  )
}

function define(script: ScriptSource): Definition {
  const parts = {
    kind: script.kind,
    source: script.source,
    parameters: script.parameters ?? [],
    recvTime: script.options?.recvTime ?? ('date' as const),
  }
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
  const group = script.group ?? `${script.kind} ${hash}`
  return { ...parts, group, key: `${group} ${hash}` }
}

/**
 * Number that decides which process a script prefers. Small scripts of a group stay together, so that few
 * isolates hold them; drivers and templates are spread over the processes.
 */
export function homeOf({ key, kind, group }: Definition): number {
  const name = kind === 'driver' || kind === 'template' ? key : group
  let hash = 0
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0
  return hash >>> 0
}
