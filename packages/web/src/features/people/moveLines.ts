import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { TFunction } from 'i18next'
import { roleText } from '../../ui/accounts/roleText.ts'

export type MovePreview = InferContractRouterOutputs<typeof contract>['user']['previewMove']

/** What moving a user changes, one sentence each. */
export function moveLines(t: TFunction, preview: MovePreview): string[] {
  const roles = (list: MovePreview['kept']) =>
    list.map(({ role, scopeName }) => `${roleText(t, role)} (${scopeName})`).join(', ')
  const { kept, removed, given, elsewhere, from, to } = preview
  return [
    removed.length > 0 ? t('users.move.removed', { roles: roles(removed) }) : null,
    given.length > 0 ? t('users.move.given', { roles: roles(given) }) : null,
    kept.length > 0 ? t('users.move.kept', { roles: roles(kept) }) : null,
    elsewhere > 0 ? t('users.move.elsewhere', { count: elsewhere }) : null,
    kept.length + given.length + elsewhere === 0 ? t('users.move.noRoles') : null,
    t('users.move.rules', { from: from.name, to: to.name }),
    preview.needsConsent ? t('users.move.consent') : null,
    preview.needsTwoFactor ? t('users.move.twoFactor') : null,
    preview.signOns > 0 ? t('users.move.signOns', { count: preview.signOns }) : null,
  ].filter((line) => line !== null)
}
