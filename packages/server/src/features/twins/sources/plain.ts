import { nothing, type SourceKind } from './types.ts'

/** A source without settings. */
export function plain({ isSettable }: { isSettable: boolean }): SourceKind<object> {
  return { isAggregate: false, isSettable, check: () => ({ ...nothing, settings: {} }) }
}
