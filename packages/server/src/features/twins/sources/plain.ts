import { nothing, type SourceKind } from './types.ts'

/** A source without settings. */
export function plain({ isSettable }: { isSettable: boolean }): SourceKind<Record<string, never>> {
  return { isAggregate: false, isSettable, check: () => ({ ...nothing, settings: {} }) }
}
