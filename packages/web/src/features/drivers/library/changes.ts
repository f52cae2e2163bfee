import type { TFunction } from 'i18next'
import type { Changes } from './queries.ts'

/** The changes in words. */
export function sentences(changes: Changes, t: TFunction): string[] {
  const listed = (part: 'variables' | 'health' | 'downlinks') =>
    (['added', 'removed', 'changed'] as const).flatMap((kind) =>
      changes[part][kind].length > 0
        ? [t(`drivers.library.change.${part}.${kind}`, { names: changes[part][kind].join(', ') })]
        : [],
    )
  return [
    ...(changes.script ? [t('drivers.library.change.script')] : []),
    ...listed('variables'),
    ...listed('health'),
    ...listed('downlinks'),
    ...(changes.golden > 0 ? [t('drivers.library.change.golden', { count: changes.golden })] : []),
  ]
}
