/** The modules that a sandbox process consists of, as `sandbox/begin.js` expects them. */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const main = new URL('./sandbox/main.ts', import.meta.url)

let made: string | undefined

/** JSON of the code by URL, without types; the same text in every call. */
export function sandboxModules(): string {
  made ??= JSON.stringify(Object.fromEntries(withImports(main, new Map())))
  return made
}

/** Adds a module and everything of ours that it imports at run time. */
function withImports(url: URL, found: Map<string, string>): Map<string, string> {
  if (found.has(url.href)) return found
  const code = withoutTypes(readFileSync(url, 'utf8'))
  found.set(url.href, code)
  for (const [, path = ''] of code.matchAll(/^(?:import|export)\b[^'"]*?'(\.[^']+)'/gm))
    withImports(new URL(path, url), found)
  return found
}

/** Without the warning that this function of Node may change: the lock file names Node's version. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}
