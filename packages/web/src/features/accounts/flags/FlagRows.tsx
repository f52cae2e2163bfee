import type { AccountFlag, FeatureFlag } from '@leitstand/contract/featureFlags'
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { verifySession } from '../../../lib/session.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'

const choices = ['inherit', 'on', 'off'] as const
type Choice = (typeof choices)[number]

/** The flags of an account, each with what it does and a choice that is saved immediately. */
export function FlagRows({ accountId: id }: { accountId: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const found = useQuery(api.flags.list.queryOptions({ input: { id } }))
  const set = useMutation({
    mutationFn: ({ flag, choice }: { flag: FeatureFlag; choice: Choice }) =>
      client.flags.set({ id, flag, enabled: choice === 'inherit' ? null : choice === 'on' }),
    onSuccess: (saved) => {
      cache.setQueryData(api.flags.list.queryKey({ input: { id } }), saved)
      notifySuccess(t('common.saved'))
    },
    onError: (error) => notifyError(error),
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: api.flags.key() })
      // The user's own menu may have changed.
      await verifySession()
    },
  })
  if (found.isLoadingError)
    return <ErrorState error={found.error} compact onRetry={() => void found.refetch()} />
  if (!found.data) return <Loading lines={3} />
  return (
    <Stack gap="md">
      {found.data.items.map((flag) => (
        <Row
          key={flag.flag}
          flag={flag}
          disabled={set.isPending}
          onChange={(choice) => set.mutate({ flag: flag.flag, choice })}
        />
      ))}
    </Stack>
  )
}

interface RowProps {
  flag: AccountFlag
  disabled: boolean
  onChange: (choice: Choice) => void
}

function Row({ flag, disabled, onChange }: RowProps) {
  const { t } = useTranslation()
  const about = useId()
  const chosen: Choice = flag.own === null ? 'inherit' : flag.own ? 'on' : 'off'
  const name = t(`accounts.flag.${flag.flag}`)
  return (
    <Stack gap={4}>
      <Text size="sm" fw={550}>
        {name}
      </Text>
      <Text id={about} size="sm" c="dimmed">
        {t(`accounts.flagAbout.${flag.flag}`)}
      </Text>
      <SegmentedControl
        aria-label={name}
        aria-describedby={about}
        data={choices.map((value) => ({
          value,
          label:
            value === 'inherit'
              ? t(flag.inherited ? 'accounts.flagChoice.inheritOn' : 'accounts.flagChoice.inheritOff')
              : t(`accounts.flagChoice.${value}`),
        }))}
        value={chosen}
        onChange={(value) => onChange(value as Choice)}
        disabled={disabled}
        style={{ alignSelf: 'start' }}
      />
    </Stack>
  )
}
