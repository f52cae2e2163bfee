import * as z from 'zod'
import { fieldsOf, type Parser } from './drivers/parsers/index.ts'
import { parserLimits, VariableKey } from './drivers/parsers/layouts.ts'

export {
  fieldsOf,
  hasScript,
  Parser,
  type ParserKind,
  type ParserOf,
  parserKinds,
} from './drivers/parsers/index.ts'
export {
  bitLength,
  bitOffset,
  Field,
  fieldTypes,
  HexString,
  isUnconditional,
  Layout,
  LayoutCondition,
  parserLimits,
  VariableKey,
} from './drivers/parsers/layouts.ts'

/**
 * A variable computed from the others of a packet, e.g. `temperature * 1.8 + 32`. Omitted for packets that
 * lack one of the variables it names; use `variables['name']` for one that may be missing.
 */
export const Calculated = z.object({
  key: VariableKey,
  /** one JavaScript expression; variables by their names, besides `variables`, `meta`, `fPort`, `time` */
  expression: z.string().trim().min(1).max(parserLimits.expressionLengthMax),
})
export type Calculated = z.infer<typeof Calculated>

export const CalculatedList = z
  .array(Calculated)
  .max(parserLimits.calculatedMax)
  .superRefine((list, context) => {
    for (const [index, { key }] of list.entries()) {
      if (list.findIndex((other) => other.key === key) < index)
        context.addIssue({ code: 'custom', path: [index, 'key'], message: 'targetTwice' })
    }
  })

/** Targets of a parser that are known without running it: those of its layouts. */
export function targetsOf(parser: Parser): string[] {
  return [...new Set(fieldsOf(parser).map(({ target }) => target))]
}

/** All variable names of a driver, without duplicates: targets, calculated ones and those it describes. */
export function variableNames(driver: {
  parser: Parser
  calculated: readonly { key: string }[]
  variables: readonly { key: string }[]
}): string[] {
  const { parser, calculated, variables } = driver
  return [
    ...new Set([
      ...targetsOf(parser),
      ...calculated.map(({ key }) => key),
      ...variables.map(({ key }) => key),
    ]),
  ]
}

/**
 * Names that differ only by case, such as `one / One`: they would become two states that are easily confused.
 */
export function lookAlikes(names: readonly string[]): string[] {
  const seen = new Map<string, string>()
  const found: string[] = []
  for (const key of names) {
    const other = seen.get(key.toLowerCase())
    if (other !== undefined && other !== key) found.push(`${other} / ${key}`)
    seen.set(key.toLowerCase(), key)
  }
  return found
}
