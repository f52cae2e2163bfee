/** Turns a script's text into the text that V8 compiles: wrapped into a function without moving its lines. */
import type { Definition } from '../protocol.ts'
import type { ScriptPurity } from '../types.ts'
import { type Analysis, analyse, isIdentifier } from './analyse.ts'

export interface Compiled {
  readonly code: string
  /** Characters before the author's first line, which V8 subtracts from columns. */
  readonly columnOffset: number
  readonly purity: ScriptPurity
  /** Whether it may use Buffer or lodash; most conditions and transformers do not, and start five times as fast. */
  readonly libraries: boolean
  /**
   * How often all built-in objects are checked for changes: it assigns to some, it might do so indirectly, or
   * it cannot.
   */
  readonly watched: 'always' | 'at times' | 'never'
  /** Parameters passed to the function; the others are only in `variables`. */
  readonly parameters: readonly string[]
  readonly analysis: Analysis | undefined
}

const LOCAL_NAMES = ['decodeUplink', 'Decoder', 'Decode', 'encodeDownlink', 'Encoder', 'Encode']
const COLLECT = LOCAL_NAMES.map((name) => `${name}: typeof ${name} === 'function' ? ${name} : undefined`)

/** Names that the wrapper itself defines. */
const GIVEN = ['module', 'exports', 'value', 'values', 'variables', 'metrics', 'meta']

function wrapperOf(definition: Definition, parameters: readonly string[]): readonly [string, string] {
  switch (definition.kind) {
    case 'driver':
    case 'template':
      return ['return (function () { ', `\n;return { ${COLLECT.join(', ')} } }).call(this)`]
    case 'transformer':
      return ['return function (value, meta, values) { ', '\n}']
    case 'filter':
    case 'condition':
    case 'value':
      return [`return function (${['variables', 'metrics', 'meta', ...parameters].join(', ')}) { `, '\n}']
  }
}

/**
 * Wraps and classifies a script. Undeclared names that it assigns become variables of the wrapper, so that
 * they are reset together with the script's own ones instead of staying behind as globals.
 */
export function compile(definition: Definition): Compiled {
  const analysis = analyse(definition.source)
  const parameters = [...new Set(definition.parameters)].filter(isIdentifier)
  const given = new Set([...GIVEN, ...parameters])
  const implicit = (analysis?.implicit ?? []).filter((name) => isIdentifier(name) && !given.has(name))
  const [open, close] = wrapperOf(definition, parameters)
  const variables =
    implicit.length === 0 ? '' : `var ${implicit.map((name) => `${name} = this.${name}`).join(', ')}; `
  const prefix = `(function (module, exports) { ${variables}${open}`
  return {
    code: `${prefix}${definition.source}${close} })`,
    columnOffset: -prefix.length,
    purity: analysis === undefined || writesOf(definition, analysis).length > 0 ? 'module' : 'pure',
    libraries: analysis === undefined || MAY_USE_LIBRARIES.test(definition.source),
    watched: watchedOf(definition, analysis),
    parameters,
    analysis,
  }
}

// Without these words a script can reach neither the libraries nor the built-in objects. A script that hides
// them (by assembling a property name from pieces, say) finds no libraries, and corrupts only its own
// context.
const MAY_USE_LIBRARIES = /\b(Buffer|_|eval|Function|globalThis|this|constructor)\b/
const MAY_CHANGE_BUILT_INS =
  /prototype|__proto__|constructor|globalThis|\b(this|eval|Function|Reflect|assign|extend|mixin|_)\b|define\w*Propert|setPrototypeOf/

function watchedOf(definition: Definition, analysis: Analysis | undefined): Compiled['watched'] {
  if (analysis === undefined || analysis.changesGlobals) return 'always'
  return MAY_CHANGE_BUILT_INS.test(definition.source) ? 'at times' : 'never'
}

/**
 * Names that would carry state from one call to the next. Variables of a body are local: created per call.
 */
export function writesOf(definition: Definition, analysis: Analysis): readonly string[] {
  if (definition.kind === 'driver' || definition.kind === 'template') return analysis.writes
  const given = new Set([...GIVEN, ...definition.parameters])
  return analysis.implicit.filter((name) => !given.has(name))
}
