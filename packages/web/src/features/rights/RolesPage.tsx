import { Button, Group, Title } from '@mantine/core'
import { IconPlus, IconShield } from '@tabler/icons-react'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { usePageTitle } from '../../lib/page.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { useRoles } from '../../ui/accounts/roles.ts'
import { roleText } from '../../ui/accounts/roleText.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import side from '../../ui/page/side.module.css'
import { NewRole, RoleEditor } from './RoleEditor.tsx'

/** Roles on the left, the rules of the selected one on the right. */
export default function RolesPage() {
  const { t } = useTranslation()
  const roles = useRoles()
  const [search, update] = useUrlSearch()
  const items = roles.items ?? []
  const wanted = one(search, 'role')
  const isNew = wanted === 'new'
  const from = items.find(({ id }) => String(id) === one(search, 'from'))
  const chosen = items.find(({ id }) => String(id) === wanted) ?? items[0]
  // Scrolls the selected role into view when it mounts.
  const show = useCallback((item: HTMLElement | null) => item?.scrollIntoView({ block: 'nearest' }), [])
  usePageTitle(isNew || !chosen ? undefined : roleText(t, chosen))
  const open = (role: string | undefined, source?: string) => update({ role, from: source }, { push: true })
  if (roles.isLoadingError)
    return <ErrorState order={1} error={roles.error} onRetry={() => void roles.refetch()} />
  return (
    <>
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={1}>{t('screens.roles.title')}</Title>
        {isNew ? null : (
          <Button leftSection={<Icon of={IconPlus} />} onClick={() => open('new')}>
            {t('roles.create')}
          </Button>
        )}
      </Group>
      {roles.items ? (
        <div className={side.layout}>
          <nav className={side.side} aria-label={t('roles.list')}>
            <ul className={side.list}>
              {items.map((role) => (
                <li key={role.id} ref={!isNew && role.id === chosen?.id ? show : null}>
                  <RouterLink
                    to={`/account-mgmt-roles?role=${role.id}`}
                    className={side.item ?? ''}
                    underline="never"
                    {...(!isNew && role.id === chosen?.id ? { 'aria-current': 'page' as const } : {})}
                  >
                    <Icon of={thingIcon(role.icon, IconShield)} size={16} />
                    {roleText(t, role)}
                  </RouterLink>
                </li>
              ))}
            </ul>
          </nav>
          <div>
            {isNew ? (
              <NewRole
                key={from?.id ?? 'new'}
                from={from}
                onCreated={async (role) => open(String(role.id))}
                onCancel={() => open(undefined)}
              />
            ) : chosen ? (
              <RoleEditor
                key={chosen.id}
                role={chosen}
                onDuplicate={() => open('new', String(chosen.id))}
                onDeleted={async () => open(undefined)}
              />
            ) : null}
          </div>
        </div>
      ) : (
        <Loading lines={8} />
      )}
    </>
  )
}
