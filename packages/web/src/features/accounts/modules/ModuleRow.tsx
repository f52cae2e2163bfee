import type { contract } from '@leitstand/contract'
import { modules as definitions } from '@leitstand/contract/modules'
import { Badge, Select, Switch, Text, Title } from '@mantine/core'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { verifySession } from '../../../lib/session.ts'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import classes from './modules.module.css'

type Module = InferContractRouterOutputs<typeof contract>['module']['list']['items'][number]

const choices = { inherit: null, yes: true, no: false } as const
type Choice = keyof typeof choices

interface ModuleRowProps {
  accountId: number
  module: Module
  /** the account is below another one */
  inherits: boolean
}

/** A module with its two switches, its effects, and why it cannot be switched. */
export function ModuleRow({ accountId, module, inherits }: ModuleRowProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const name = t(`modules.name.${module.module}`)
  const save = useMutation({
    mutationFn: (change: Partial<Pick<Module, 'enabled' | 'toNewUsers'>>) => {
      const { enabled, toNewUsers, version } = module
      return client.module.set({
        accountId,
        module: module.module,
        version,
        enabled,
        toNewUsers,
        ...change,
      })
    },
    onSuccess: (_saved, { enabled }) => {
      if (enabled === undefined) notifySuccess(t('common.saved'))
      else notifySuccess(t(enabled ? 'modules.turnedOn' : 'modules.turnedOff', { name }))
    },
    onError: (error) => notifyError(error),
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: api.module.key() })
      await cache.invalidateQueries({ queryKey: api.acl.key() })
      await cache.invalidateQueries({ queryKey: api.user.explainAccess.key() })
      await cache.invalidateQueries({ queryKey: api.scope.key() })
      // The user's own permissions, and so the drawer, may have changed.
      await verifySession()
    },
  })
  // The account cannot switch on a module that is off above or was switched off from above.
  const heldOff = module.offAbove !== null
  const shown: Choice =
    module.toNewUsers === null ? (inherits ? 'inherit' : 'no') : module.toNewUsers ? 'yes' : 'no'
  const options: Choice[] = inherits ? ['inherit', 'yes', 'no'] : ['yes', 'no']
  const { restricted, subjects } = definitions[module.module]
  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <div className={classes.name}>
          <Title order={3}>{name}</Title>
          {restricted ? (
            <Badge variant="default" size="sm" fw={500} tt="none">
              {t('modules.restricted')}
            </Badge>
          ) : null}
        </div>
        <Text size="sm">{t(`modules.about.${module.module}`)}</Text>
        <Text size="sm" c="dimmed">
          {t('modules.affects', {
            subjects: subjects
              .map((subject) => t(`permissions.subjects.${subject.replace('.', '_')}`))
              .join(', '),
          })}{' '}
          {t('modules.users', { count: module.users })}
        </Text>
        {module.offAbove ? (
          <Text size="sm" className={classes.note ?? ''}>
            {module.offAbove.name
              ? t('modules.offAt', { account: module.offAbove.name })
              : t('modules.offAbove')}
          </Text>
        ) : null}
      </div>
      <Switch
        label={module.effective ? t('modules.on') : t('modules.off')}
        aria-label={t('modules.switch', {
          name,
          state: module.effective ? t('modules.on') : t('modules.off'),
        })}
        checked={module.effective}
        disabled={!module.editable || heldOff || save.isPending}
        onChange={(event) => save.mutate({ enabled: event.currentTarget.checked })}
        className={classes.switch ?? ''}
      />
      <Select
        label={t('modules.toNewUsers')}
        aria-label={t('modules.toNewUsersOf', { name })}
        data={options.map((choice) => ({
          value: choice,
          label:
            choice === 'inherit' && module.toNewUsers === null && module.effective
              ? t('modules.choice.inherited', {
                  now: t(`modules.choice.${module.effectiveToNewUsers ? 'yes' : 'no'}`),
                })
              : t(`modules.choice.${choice}`),
        }))}
        value={shown}
        allowDeselect={false}
        disabled={!module.editable || !module.effective || save.isPending}
        onChange={(choice) => {
          const next = options.find((one) => one === choice)
          if (next && next !== shown) save.mutate({ toNewUsers: choices[next] })
        }}
      />
    </li>
  )
}
