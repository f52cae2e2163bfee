import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { TFunction } from 'i18next'
import { roleText } from '../../ui/accounts/roleText.ts'
import { reasonText } from './explain.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type InsightNode = Outputs['insight']['tree']['items'][number]
export type InsightAnswer = Outputs['insight']['ask']

/** How a scope differs from the one above it. */
export type Difference = { kind: 'same' } | { kind: 'none' } | { kind: 'own'; count: number }

export function differenceOf(
  { permissions }: Pick<InsightNode, 'permissions'>,
  parent: Pick<InsightNode, 'permissions'> | null,
): Difference {
  const above = parent?.permissions
  const isSame =
    above !== undefined &&
    above.length === permissions.length &&
    permissions.every((one) => above.includes(one))
  if (isSame) return { kind: 'same' }
  return permissions.length === 0 ? { kind: 'none' } : { kind: 'own', count: permissions.length }
}

/** The answer to a question as sentences: the reason, then what would help. */
export function answerLines(t: TFunction, { explanation, roles, givers }: InsightAnswer): string[] {
  const lines = [reasonText(t, explanation)]
  // Where the module is off, no role helps.
  if (explanation.allowed || explanation.module !== null) return lines
  if (roles.length > 0)
    lines.push(t('users.insight.roles', { roles: roles.map((role) => roleText(t, role)).join(', ') }))
  const names = givers.items.map(({ username }) => username).join(', ')
  const more = givers.total - givers.items.length
  if (givers.total === 0) lines.push(t('users.insight.noGivers'))
  else
    lines.push(
      more > 0 ? t('users.insight.giversMore', { names, more }) : t('users.insight.givers', { names }),
    )
  return lines
}
