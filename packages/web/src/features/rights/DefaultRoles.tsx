import { Button, MultiSelect, Select, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { choicesMax } from '../../ui/accounts/accountTree.ts'
import { useRoleChoices } from '../../ui/accounts/roles.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import type { AccountProps } from '../accounts/index.ts'
import { useScopeChoices, useScopes } from './queries.ts'

/** Default roles of new users, on the account and on its twins with a scope of their own; saved immediately. */
export default function DefaultRoles({ account: { id, scopeId } }: AccountProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { choices } = useRoleChoices()
  const chosen = useQuery(api.scope.listDefaultRoles.queryOptions({ input: { scopeId } }))
  const [added, setAdded] = useState<{ scopeId: number; scopeName: string }[]>([])
  const ofTwins = chosen.data?.twinScopes ?? []
  const twins = [
    ...ofTwins,
    ...added
      .filter((one) => !ofTwins.some((known) => known.scopeId === one.scopeId))
      .map((one) => ({ ...one, roleIds: [] as number[] })),
  ]
  const set = async (of: number, ids: string[]) => {
    try {
      await client.scope.setDefaultRoles({ scopeId: of, roleIds: ids.map(Number) })
      notifySuccess(t('common.saved'))
    } catch (error) {
      notifyError(error)
    }
    await cache.invalidateQueries({ queryKey: api.scope.listDefaultRoles.key() })
  }
  const field = {
    data: choices ?? [],
    searchable: true,
    nothingFoundMessage: t('common.nothingFound'),
    disabled: !chosen.data || !choices,
  }
  return (
    <Section
      id="account-defaultRoles"
      title={t('accounts.section.defaultRoles')}
      description={t('accounts.defaultRolesHint')}
    >
      <Stack gap="sm">
        <MultiSelect
          label={t('accounts.field.defaultRoles')}
          value={(chosen.data?.roleIds ?? []).map(String)}
          onChange={(ids) => void set(scopeId, ids)}
          {...field}
        />
        {twins.map((twin) => (
          <MultiSelect
            key={twin.scopeId}
            label={t('accounts.field.defaultRolesOf', { scope: twin.scopeName })}
            value={twin.roleIds.map(String)}
            onChange={(ids) => {
              // Without a role it stays on the page until the user leaves it.
              setAdded((before) => [...before.filter((one) => one.scopeId !== twin.scopeId), twin])
              void set(twin.scopeId, ids)
            }}
            {...field}
          />
        ))}
        <AddTwin
          accountId={id}
          taken={twins.map((twin) => twin.scopeId)}
          onAdd={(twin) => setAdded((before) => [...before, twin])}
        />
      </Stack>
    </Section>
  )
}

interface AddTwinProps {
  accountId: number
  taken: readonly number[]
  onAdd: (twin: { scopeId: number; scopeName: string }) => void
}

/** Picks one more twin of the account that has a scope of its own; nothing when there is none. */
function AddTwin({ accountId, taken, onAdd }: AddTwinProps) {
  const { t } = useTranslation()
  const { data } = useScopes()
  const paths = useScopeChoices()
  const [open, setOpen] = useState(false)
  const scopes = (data?.items ?? []).filter(
    (scope) => scope.accountId === accountId && scope.twinId !== null && !taken.includes(scope.id),
  )
  if (scopes.length === 0) return null
  if (!open)
    return (
      <div>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Icon of={IconPlus} size={16} />}
          onClick={() => setOpen(true)}
        >
          {t('accounts.addTwinRoles')}
        </Button>
      </div>
    )
  const ids = new Set(scopes.map((scope) => String(scope.id)))
  return (
    <Select
      label={t('accounts.field.twinScope')}
      description={t('accounts.twinScopeHint')}
      data={paths.filter(({ value }) => ids.has(value))}
      limit={choicesMax}
      value={null}
      onChange={(value) => {
        const scope = scopes.find((one) => String(one.id) === value)
        if (!scope) return
        onAdd({ scopeId: scope.id, scopeName: scope.name })
        setOpen(false)
      }}
      searchable
      data-autofocus
      nothingFoundMessage={t('common.nothingFound')}
    />
  )
}
