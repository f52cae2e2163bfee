import type { ApplicationScope } from '@leitstand/contract'
import { IconEye, IconPencil, IconShieldHalf, IconUser } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './oauth.module.css'
import { type ScopeKind, shownScopes } from './scopes.ts'

const icons: Record<ScopeKind, typeof IconUser> = {
  identity: IconUser,
  read: IconEye,
  manage: IconPencil,
  all: IconShieldHalf,
}

/** An application's scopes in words. */
export function ScopeList({ scopes }: { scopes: readonly ApplicationScope[] }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.scopes}>
      {shownScopes(scopes).map(({ scope, kind }) => (
        <li key={scope} className={classes.scope} data-strong={kind === 'all' || undefined}>
          <Icon of={icons[kind]} />
          <span>{t(`oauth.scopes.${scope.replace('.', '_')}`)}</span>
        </li>
      ))}
    </ul>
  )
}
